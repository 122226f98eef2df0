from rmsnorm import rmsnorm
from silu_mul import silu_mul


def gate_up(n2, wg, wu):
    """gate up: n2 Wgate Wup -> g u

    Each line reads all of n2.
    """
    g = n2 @ wg.T
    u = n2 @ wu.T
    return g, u


def gate_up_silu_mul(n2, wg, wu):
    """gate up silu mul: n2 Wgate Wup -> m"""
    g, u = gate_up(n2, wg, wu)
    return silu_mul(g, u)


def norm_gate_up(h, gamma, wg, wu, *, eps):
    """norm2 gate up: h gamma2 Wgate Wup -> g u"""
    n2 = rmsnorm(h, gamma, eps=eps)
    return gate_up(n2, wg, wu)


def norm_gate_up_silu_mul(h, gamma, wg, wu, *, eps):
    """norm2 gate up silu mul: h gamma2 Wgate Wup -> m"""
    n2 = rmsnorm(h, gamma, eps=eps)
    return gate_up_silu_mul(n2, wg, wu)
