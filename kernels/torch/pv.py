def pv(pr, v, *, head):
    """pv: pr v -> att

    Values are copied for every query head that shares them.
    """
    v = v.unflatten(-1, (-1, head)).transpose(1, 2)  # a view
    v = v.repeat_interleave(pr.shape[1] // v.shape[1], 1)
    att = pr @ v
    return att.transpose(1, 2).flatten(2)
