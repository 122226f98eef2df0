// The angle of a rotary position embedding, in one place for every kernel that
// turns a query or a key: the row kernel `rope` and the epilogue of `qkv`.

// Cosine and sine of `position * theta^(-2 pair / HEAD)`, pair < HEAD / 2. Both
// powf and sincosf are the accurate ones: an angle of a few thousand radians
// still has its fraction right to 1e-4, which fast-math would lose altogether.
struct Turn {
    float cosine, sine;
};

DEVICE Turn rotary_turn(int position, int pair, float theta) {
    Turn turn;
    float frequency = powf(theta, -2.0f * float(pair) / float(HEAD));
    sincosf(float(position) * frequency, &turn.sine, &turn.cosine);
    return turn;
}

// Hugging Face pairs column i of a head with column i + HEAD / 2.
DEVICE float turn_first(float first, float second, Turn turn) {
    return first * turn.cosine - second * turn.sine;
}
DEVICE float turn_second(float first, float second, Turn turn) {
    return second * turn.cosine + first * turn.sine;
}
