from rmsnorm import rmsnorm


def residual_norm(a, b, gamma, *, eps):
    """res1 norm2: x o gamma2 -> h n2
    res2 norm1: h dn gamma1 -> y n1
    res2 final_norm: h dn gamma -> y nf
    """
    h = a + b
    return h, rmsnorm(h, gamma, eps=eps)
