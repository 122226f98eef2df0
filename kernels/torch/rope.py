import torch


def rope(q, k, *, head, theta, past):
    """rope_q rope_k: q k -> qr kr"""
    cos, sin = angles(q.shape[1], head, theta, past)
    return turn(q, cos, sin), turn(k, cos, sin)


def rope_one(x, *, head, theta, past):
    """rope_q: q -> qr
    rope_k: k -> kr
    """
    cos, sin = angles(x.shape[1], head, theta, past)
    return turn(x, cos, sin)


# Columns i and i + head / 2 are a pair. Most programs make
# the angles once, for all blocks; our kernel makes them again.
def angles(seq, head, theta, past):
    column = torch.arange(0, head, 2)
    power = column / -head
    frequency = theta**power
    position = torch.arange(past, past + seq)
    angle = position[:, None, None] * frequency
    angle = torch.cat((angle, angle), -1)
    cos = angle.cos()
    sin = angle.sin()
    return cos, sin


def turn(x, cos, sin):
    x = x.unflatten(-1, (-1, cos.shape[-1]))  # a view
    first, second = x.chunk(2, -1)  # views
    second = -second
    turned = torch.cat((second, first), -1)
    along = x * cos
    across = turned * sin
    both = along + across
    return both.flatten(-2)  # a view
