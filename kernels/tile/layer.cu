// Addresses of one layer, as a kernel that runs several finds them in memory:
// weights [out][in], keys and values [batch][cap][kv_heads * HEAD].
struct Layer {
    const elem *norm1, *q, *k, *v, *o, *norm2, *gate, *up, *down;
    elem *keys, *values;
};
