import torch

from flash import flash
from gate_up import norm_gate_up_silu_mul
from gemm_residual import gemm_residual
from qkv import norm_qkv_rope


def block(
    x, past_k, past_v, gamma1, wq, wk, wv, wo, gamma2, wg, wu, wd,
    *, eps, head, theta, past
):
    """norm1 q k v rope_q rope_k qk softmax pv o res1 norm2
    gate up silu mul down res2: x past_k past_v
    gamma1 Wq Wk Wv Wo gamma2 Wgate Wup Wdown -> y kr v

    Five calls are the kernels of the plan `five`. The two lines of torch.cat
    copy the keys and values of a cache, which ours writes in place.
    """
    qr, kr, v = norm_qkv_rope(
        x, gamma1, wq, wk, wv, eps=eps, head=head, theta=theta, past=past
    )
    keys = torch.cat((past_k, kr), 1)
    values = torch.cat((past_v, v), 1)
    att = flash(qr, keys, values, head=head, past=past)
    h = gemm_residual(att, wo, x)
    m = norm_gate_up_silu_mul(h, gamma2, wg, wu, eps=eps)
    return gemm_residual(m, wd, h), kr, v
