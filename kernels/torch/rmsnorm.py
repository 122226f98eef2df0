import torch


def rmsnorm(x, gamma, *, eps):
    """norm1: x gamma1 -> n1
    norm2: h gamma2 -> n2
    final_norm: y gamma -> nf

    Each line is a kernel: it reads what it names from memory and writes a tensor.
    """
    squares = x.pow(2)
    mean = squares.mean(-1, keepdim=True)
    mean = mean + eps
    rstd = torch.rsqrt(mean)
    normed = x * rstd
    return normed * gamma
