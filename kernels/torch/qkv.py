from rmsnorm import rmsnorm
from rope import rope


def qkv(n1, wq, wk, wv):
    """q k v: n1 Wq Wk Wv -> q k v

    Each line reads all of n1.
    """
    q = n1 @ wq.T
    k = n1 @ wk.T
    v = n1 @ wv.T
    return q, k, v


def qkv_rope(n1, wq, wk, wv, *, head, theta, past):
    """q k v rope_q rope_k: n1 Wq Wk Wv -> qr kr v"""
    q, k, v = qkv(n1, wq, wk, wv)
    qr, kr = rope(q, k, head=head, theta=theta, past=past)
    return qr, kr, v


def norm_qkv(x, gamma, wq, wk, wv, *, eps):
    """norm1 q k v: x gamma1 Wq Wk Wv -> q k v"""
    n1 = rmsnorm(x, gamma, eps=eps)
    return qkv(n1, wq, wk, wv)


def norm_qkv_rope(x, gamma, wq, wk, wv, *, eps, head, theta, past):
    """norm1 q k v rope_q rope_k: x gamma1 Wq Wk Wv -> qr kr v"""
    n1 = rmsnorm(x, gamma, eps=eps)
    return qkv_rope(n1, wq, wk, wv, head=head, theta=theta, past=past)
