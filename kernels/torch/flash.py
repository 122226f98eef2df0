from pv import pv
from qk import qk
from softmax import softmax


def flash(qr, kr, v, *, head, past):
    """qk softmax pv: qr kr v -> att

    Scores and probabilities cross memory between the lines.
    PyTorch has a kernel like ours, behind a call of its own:
    torch.nn.functional.scaled_dot_product_attention.
    """
    sc = qk(qr, kr, head=head)
    pr = softmax(sc, head=head, past=past)
    return pv(pr, v, head=head)
