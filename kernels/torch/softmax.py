import torch


def softmax(sc, *, head, past):
    """softmax: sc -> pr

    Query s sees the keys up to past + s: a mask is added.
    """
    mask = torch.full(sc.shape[2:], -torch.inf)
    mask = mask.triu(past + 1)
    scaled = sc * head**-0.5
    masked = scaled + mask
    return masked.softmax(-1)
