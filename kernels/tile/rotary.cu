// The angle of a rotary position embedding, in one place for every kernel that
// turns a query or a key: the row kernel `rope` and the epilogue of `qkv`.

struct Turn {
    float cosine, sine;
};

// Radians per position of a pair, pair < HEAD / 2. powf is the accurate one: its
// error is multiplied by the position.
DEVICE float rotary_frequency(int pair, float theta) {
    return powf(theta, -2.0f * float(pair) / float(HEAD));
}

// Cosine and sine of position * frequency. The angle, thousands of radians, is
// first reduced to half a turn (the product's rounding error is carried along);
// then the library's functions in fp32, and in bf16 the hardware's (error 4e-7).
DEVICE Turn rotary_turn(int position, float frequency) {
    const float TURN = 6.283185482f, TURN_REST = -1.748455531e-7f; // 2 pi in two parts
    float angle = float(position) * frequency;
    float error = fmaf(float(position), frequency, -angle);
    float turns = rintf(angle * 0.159154943f);
    float rest = fmaf(-turns, TURN_REST, fmaf(-turns, TURN, angle)) + error;
    Turn turn;
#if BF16
    turn.cosine = __cosf(rest), turn.sine = __sinf(rest);
#else
    sincospif(rest * 0.318309886f, &turn.sine, &turn.cosine);
#endif
    return turn;
}

DEVICE Turn rotary_turn(int position, int pair, float theta) {
    return rotary_turn(position, rotary_frequency(pair, theta));
}

// Hugging Face pairs column i of a head with column i + HEAD / 2.
DEVICE float turn_first(float first, float second, Turn turn) {
    return first * turn.cosine - second * turn.sine;
}
DEVICE float turn_second(float first, float second, Turn turn) {
    return second * turn.cosine + first * turn.sine;
}
