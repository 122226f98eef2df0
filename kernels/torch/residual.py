def residual(a, b):
    """res1: x o -> h
    res2: h dn -> y

    One addition of two tensors, and a launch.
    """
    return a + b
