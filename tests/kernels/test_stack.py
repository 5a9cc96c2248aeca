import random

import pytest
import torch

from kernels.blocks import DeepNormBlock
from kernels.device import default_device
from kernels.norms import ManualRMSNorm
from kernels.stack import ARCHS, Stack, deepnorm_constants, scale_branches


@pytest.fixture(autouse=True)
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_every_kind_keeps_the_shape_and_reaches_every_weight(arch: str, norm: str) -> None:
    stack = Stack(arch, 2, 16, norm=norm, qk_norm=True, final_norm=True)
    y = stack(torch.randn(2, 3, 16))
    assert y.shape == (2, 3, 16)
    (y * torch.randn(2, 3, 16)).sum().backward()
    untouched = [name for name, p in stack.named_parameters() if p.grad is None or not p.grad.any()]
    assert [name for name in untouched if not name.endswith("k.bias")] == []  # softmax ignores a key bias


def test_the_same_seed_gives_the_same_weights_for_every_arch() -> None:
    pre, post, other = Stack("pre", 2, 16, seed=3), Stack("post", 2, 16, seed=3), Stack("pre", 2, 16, seed=4)
    name = "blocks.1.ffn.w1.weight"
    assert torch.equal(pre.get_parameter(name), post.get_parameter(name))
    assert not torch.equal(pre.get_parameter(name), other.get_parameter(name))


def test_the_global_random_state_is_left_alone() -> None:
    torch.manual_seed(5)
    random.seed(5)
    state, python_state = torch.get_rng_state(), random.getstate()
    first = Stack("pre", 1, 16)
    assert torch.equal(torch.get_rng_state(), state)
    assert random.getstate() == python_state
    torch.manual_seed(6)
    again = Stack("pre", 1, 16)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))


def test_the_two_initialisations() -> None:
    xavier, default = Stack("pre", 1, 64), Stack("pre", 1, 64, init="default")
    limit = (6 / (64 + 256)) ** 0.5
    weight = xavier.get_parameter("blocks.0.ffn.w1.weight")
    assert weight.abs().max() <= limit
    assert weight.std().item() == pytest.approx(limit / 3**0.5, rel=0.02)
    assert not xavier.get_parameter("blocks.0.ffn.w1.bias").any()
    weight = default.get_parameter("blocks.0.ffn.w1.weight")
    assert weight.std().item() == pytest.approx((1 / 64) ** 0.5 / 3**0.5, rel=0.02)
    assert default.get_parameter("blocks.0.ffn.w1.bias").any()


def test_deepnorm_stacks_scale_by_their_depth() -> None:
    deep, post = Stack("deepnorm", 48, 16), Stack("post", 48, 16)
    block = deep.blocks[0]
    assert isinstance(block, DeepNormBlock)
    assert block.alpha == pytest.approx(3.1302, abs=1e-4)
    for name, factor in (("ffn.w2.weight", 0.2259), ("attention.q.weight", 1.0)):
        expected = factor * post.get_parameter(f"blocks.5.{name}")
        torch.testing.assert_close(deep.get_parameter(f"blocks.5.{name}"), expected, rtol=1e-3, atol=0)


@pytest.mark.parametrize(
    ("layers", "alpha", "beta"), [(12, 2.2134, 0.3195), (48, 3.1302, 0.2259), (100, 3.7606, 0.1880)]
)
@pytest.mark.parametrize("part", ["encoder", "decoder"])
def test_deepnorm_constants_of_one_sided_models(part: str, layers: int, alpha: float, beta: float) -> None:
    constants = deepnorm_constants(**{part: layers})
    assert list(constants) == [part]
    assert constants[part] == pytest.approx((alpha, beta), abs=1e-4)  # type: ignore[index]


def test_deepnorm_constants_of_an_encoder_with_a_decoder() -> None:
    constants = deepnorm_constants(encoder=18, decoder=6)
    scale = (18**4 * 6) ** (1 / 16)
    assert constants["encoder"] == pytest.approx((0.81 * scale, 0.87 / scale))
    assert constants["decoder"] == pytest.approx((18**0.25, 72**-0.25))
    with pytest.raises(ValueError, match="positive number of layers"):
        deepnorm_constants()


def test_a_final_norm_is_there_where_models_have_one() -> None:
    with_norm = {
        arch for arch in ARCHS if any("final_norm" in name for name, _ in Stack(arch, 1, 8).named_parameters())
    }
    assert with_norm == {"pre", "sandwich", "output-norm", "parallel"}
    x = 100 * torch.randn(2, 3, 8)
    assert Stack("pre", 1, 8)(x).std().item() == pytest.approx(1, abs=0.1)
    assert Stack("pre", 1, 8, final_norm=False)(x).std().item() > 50
    assert isinstance(Stack("post", 1, 8, norm="rms", final_norm=True).final_norm, ManualRMSNorm)


def test_branches_scaled_to_zero_leave_the_identity_and_scaled_by_half_half_of_each() -> None:
    x = torch.randn(2, 3, 8)
    whole, half = Stack("residual", 1, 8, init="default"), Stack("residual", 1, 8, init="default")
    assert scale_branches(half, 0.5) is half
    assert torch.allclose(half.blocks[0].attention(x), whole.blocks[0].attention(x) / 2, atol=1e-6)
    assert torch.allclose(half.blocks[0].ffn(x), whole.blocks[0].ffn(x) / 2, atol=1e-6)
    silent = scale_branches(Stack("pre", 5, 8, final_norm=False, init="default"), 0)
    assert torch.equal(silent(x), x)
    assert silent.blocks[0].get_parameter("ffn.w2.weight").requires_grad


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arch": "post-norm", "depth": 2}, "unknown arch 'post-norm': did you mean 'post'"),
        ({"arch": "Pre", "depth": 2}, "did you mean 'pre'"),
        ({"arch": "zzz", "depth": 2}, "It is one of plain, residual"),
        ({"arch": "pre", "depth": 0}, "depth must be at least 1, not 0"),
        ({"arch": "pre", "depth": 1, "d_model": 0}, "d_model must be at least 1"),
        ({"arch": "pre", "depth": 1, "d_model": 30}, "heads=4"),
        ({"arch": "pre", "depth": 1, "init": "kaiming"}, "unknown init 'kaiming'"),
        ({"arch": "pre", "depth": 1, "norm": "rmsnorm"}, "unknown norm 'rmsnorm': did you mean 'rms'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Stack(**arguments)  # type: ignore[arg-type]


def test_the_device_is_the_one_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_DEVICE", "meta")
    assert default_device() == torch.device("meta")
    assert next(Stack("pre", 1, 8).parameters()).device.type == "meta"
    assert next(Stack("pre", 1, 8, device="cpu").parameters()).device.type == "cpu"
    monkeypatch.delenv("NORMTUTOR_DEVICE")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert default_device() == torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert default_device() == torch.device("cpu")


def test_the_dtype_is_the_one_asked_for() -> None:
    stack = Stack("pre", 2, 16, dtype=torch.bfloat16)
    assert stack(torch.randn(1, 2, 16, dtype=torch.bfloat16)).dtype == torch.bfloat16
