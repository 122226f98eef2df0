def gemm(x, w):
    """q: n1 Wq -> q
    k: n1 Wk -> k
    v: n1 Wv -> v
    o: att Wo -> o
    gate: n2 Wgate -> g
    up: n2 Wup -> u
    down: m Wdown -> dn
    lm_head: nf Whead -> logits

    A line here, a launch there: of a vendor's library.
    """
    return x @ w.T
