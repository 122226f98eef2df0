from torch.nn import functional


def silu_mul(g, u):
    """silu mul: g u -> m

    What silu wrote, mul reads.
    """
    sg = functional.silu(g)
    return sg * u
