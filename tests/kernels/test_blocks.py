import pytest
import torch
from torch import Tensor, nn

from kernels.blocks import (
    DeepNormBlock,
    OutputNormBlock,
    ParallelBlock,
    PlainBlock,
    PostNormBlock,
    PreNormBlock,
    ResidualBlock,
    ResidualSubLayer,
    SandwichBlock,
)
from kernels.norms import ManualRMSNorm
from kernels.sublayers import FeedForward, SelfAttention


class Scale(nn.Module):
    """A stand-in for a sublayer or a norm whose effect on a number can be followed by hand."""

    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def forward(self, x: Tensor) -> Tensor:
        return x * self.by


def traced(block: PlainBlock) -> PlainBlock:
    """Attention multiplies by 2, the FFN by 3, norms by primes, so that the product tells where each one sat."""
    block.attention, block.ffn = Scale(2), Scale(3)  # type: ignore[assignment]
    primes = {"norm1": 5, "norm2": 7, "out_norm1": 11, "out_norm2": 13, "norm": 5}
    for name, prime in primes.items():
        if hasattr(block, name):
            setattr(block, name, Scale(prime))
    return block


def alpha_two(block: DeepNormBlock) -> DeepNormBlock:
    block.alpha = 2
    return block


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (PlainBlock(8), 2 * 3),
        (ResidualBlock(8), (1 + 2) * (1 + 3)),
        (PostNormBlock(8), 5 * (1 + 2) * 7 * (1 + 3)),
        (PreNormBlock(8), (1 + 5 * 2) * (1 + 7 * 3)),
        (alpha_two(DeepNormBlock(8)), 5 * (2 + 2) * 7 * (2 + 3)),
        (SandwichBlock(8), (1 + 5 * 2 * 11) * (1 + 7 * 3 * 13)),
        (OutputNormBlock(8), (1 + 2 * 11) * (1 + 3 * 13)),
        (ParallelBlock(8), 1 + 5 * 2 + 5 * 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_where_the_norm_and_the_residual_sit(block: PlainBlock, expected: float) -> None:
    assert traced(block)(torch.ones(1, 1, 1)).item() == expected


def test_the_wrapper_returns_the_input_plus_what_the_sublayer_makes_of_the_norm() -> None:
    x = torch.randn(2, 3, 8)
    wrapper = ResidualSubLayer(8, FeedForward(8))
    torch.testing.assert_close(wrapper(x) - x, wrapper.sublayer(wrapper.norm(x)))
    assert isinstance(ResidualSubLayer(8, FeedForward(8), norm=ManualRMSNorm).norm, ManualRMSNorm)


def test_dropout_acts_on_the_branch_only() -> None:
    x = torch.randn(2, 3, 8)
    wrapper = ResidualSubLayer(8, FeedForward(8), dropout=1.0)
    assert torch.equal(wrapper(x), x)
    assert not torch.equal(wrapper.eval()(x), x)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_that_of_pytorch(causal: bool) -> None:
    ours = SelfAttention(12, heads=3, causal=causal).double()
    theirs = nn.MultiheadAttention(12, 3, batch_first=True).double()
    theirs.in_proj_weight.data = torch.cat([ours.q.weight, ours.k.weight, ours.v.weight]).detach()
    theirs.in_proj_bias.data = torch.cat([ours.q.bias, ours.k.bias, ours.v.bias]).detach()
    theirs.out_proj.load_state_dict(ours.out.state_dict())
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    mask = torch.ones(5, 5).triu(1).bool() if causal else None
    torch.testing.assert_close(ours(x), theirs(x, x, x, attn_mask=mask, need_weights=False)[0])


def test_causal_attention_sees_no_later_token() -> None:
    attention, x = SelfAttention(8, causal=True), torch.randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4:] = 0
    torch.testing.assert_close(attention(x)[:, :4], attention(changed)[:, :4])


def test_qk_norm_bounds_the_scores_however_large_the_input() -> None:
    x = torch.randn(1, 6, 8)
    with_norm, without = SelfAttention(8, heads=2, qk_norm=True), SelfAttention(8, heads=2)
    for attention in (with_norm, without):
        for linear in (attention.q, attention.k, attention.v, attention.out):
            nn.init.zeros_(linear.bias)

    def weights_change(attention: SelfAttention) -> float:
        # without biases the output scales with the input exactly when the attention weights stay as they are
        return (attention(1e3 * x) / 1e3 - attention(x)).abs().max().item()

    assert weights_change(with_norm) < 1e-4
    assert weights_change(without) > 1e-2


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match=r"d_model=10 cannot be split into heads=4"):
        SelfAttention(10, heads=4)


def test_deepnorm_scales_the_ffn_the_values_and_the_output_only() -> None:
    torch.manual_seed(0)
    block = DeepNormBlock(8)
    before = {name: parameter.detach().clone() for name, parameter in block.named_parameters()}
    block.rescale(3.0, 0.5)
    changed = {name for name, p in block.named_parameters() if not torch.equal(p, before[name])}
    assert changed == {"attention.v.weight", "attention.out.weight", "ffn.w1.weight", "ffn.w2.weight"}
    torch.testing.assert_close(block.ffn.w1.weight, 0.5 * before["ffn.w1.weight"])
    assert block.alpha == 3.0
