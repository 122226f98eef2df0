def qk(qr, kr, *, head):
    """qk: qr kr -> sc

    Both get their heads in front of their tokens, by copies;
    keys once more for every query head that shares them.
    """
    q = qr.unflatten(-1, (-1, head)).transpose(1, 2)  # a view
    k = kr.unflatten(-1, (-1, head)).transpose(1, 2)  # a view
    q = q.contiguous()
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    return q @ k.transpose(2, 3)
