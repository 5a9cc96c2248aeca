import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from kernels.norms import ManualBatchNorm, ManualLayerNorm, ManualRMSNorm


def seeded(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def with_parameters(module: nn.Module, seed: int = 1) -> nn.Module:
    for i, parameter in enumerate(module.parameters()):
        parameter.data = seeded(*parameter.shape, seed=seed + i)
    return module


def affine(module: nn.Module) -> dict[str, torch.Tensor]:
    return dict(module.named_parameters())


@pytest.mark.parametrize("shape", [(3, 7), (2, 5, 129), (4, 1), (0, 8)])
def test_layer_norm_is_that_of_pytorch(shape: tuple[int, ...]) -> None:
    norm, x = with_parameters(ManualLayerNorm(shape[-1])), 3 + 2 * seeded(*shape)
    torch.testing.assert_close(norm(x), F.layer_norm(x, shape[-1:], **affine(norm)))


def test_layer_norm_over_several_dimensions_and_without_parameters() -> None:
    x = seeded(4, 3, 5)
    torch.testing.assert_close(ManualLayerNorm((3, 5), elementwise_affine=False)(x), F.layer_norm(x, (3, 5)))
    assert ManualLayerNorm(5, bias=False).bias is None


@pytest.mark.parametrize("shape", [(3, 7), (2, 5, 129), (4, 1), (0, 8)])
def test_rms_norm_is_that_of_pytorch(shape: tuple[int, ...]) -> None:
    norm, x = with_parameters(ManualRMSNorm(shape[-1])), 3 + 2 * seeded(*shape)
    torch.testing.assert_close(norm(x), F.rms_norm(x, shape[-1:], eps=1e-6, **affine(norm)))


@pytest.mark.parametrize(
    ("norm", "row", "expected"),
    [
        (ManualLayerNorm(2, eps=0), [0.0, 1.0], [-1.0, 1.0]),  # the unbiased variance would give 0.7071
        (ManualLayerNorm(2), [1e-3, -1e-3], [0.30151134, -0.30151134]),  # eps outside the root: 0.9901
        (ManualRMSNorm(2, eps=0), [3.0, 4.0], [0.84852814, 1.13137085]),
        (ManualRMSNorm(2, eps=1e-5), [1e-3, 1e-3], [0.30151134, 0.30151134]),
        (ManualLayerNorm(4), [4e4, 4e4 + 1, 4e4 + 2, 4e4 + 3], [-1.3416, -0.4472, 0.4472, 1.3416]),
    ],
)
def test_values_worked_by_hand(norm: nn.Module, row: list[float], expected: list[float]) -> None:
    torch.testing.assert_close(norm(torch.tensor(row)), torch.tensor(expected), rtol=1e-4, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", [ManualLayerNorm, ManualRMSNorm])
def test_half_precision_is_rounded_once(kind: type[nn.Module], dtype: torch.dtype) -> None:
    x = (5 + seeded(64, 1000)).to(dtype)
    exact = kind(1000).double()(x.double())
    y = kind(1000)(x)
    assert y.dtype == dtype
    spacing = torch.finfo(dtype).eps * torch.exp2(torch.floor(torch.log2(exact.abs())))
    assert ((y.double() - exact).abs() <= 0.51 * spacing + 1e-6).all()


@pytest.mark.parametrize("kind", [ManualLayerNorm, ManualRMSNorm])
def test_a_row_of_another_length_is_refused(kind: type[nn.Module]) -> None:
    with pytest.raises(ValueError, match=r"must end in \(8,\), not \(3, 7\)"):
        kind(8)(torch.zeros(3, 7))


def test_batch_norm_worked_by_hand() -> None:
    norm = ManualBatchNorm(1, eps=0)
    y = norm(torch.tensor([[0.0], [1.0], [2.0], [5.0]]))
    torch.testing.assert_close(y.flatten(), torch.tensor([-1.06904, -0.53452, 0.0, 1.60357]), rtol=1e-5, atol=1e-6)
    assert norm.running_mean.item() == pytest.approx(0.2)
    assert norm.running_var.item() == pytest.approx(0.9 + 0.1 * 14 / 3)  # the unbiased variance, 4.6667


@pytest.mark.parametrize("momentum", [0.1, 0.7, None])
@pytest.mark.parametrize("shape", [(6, 3), (5, 3, 4), (2, 3, 4, 5)])
def test_batch_norm_is_that_of_pytorch(shape: tuple[int, ...], momentum: float | None) -> None:
    theirs = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d}[len(shape)](3, momentum=momentum).double()
    ours = with_parameters(ManualBatchNorm(3, momentum=momentum).double())
    theirs.load_state_dict(ours.state_dict())
    for step in range(3):
        x, upstream = 3 + 2 * seeded(*shape, seed=step), seeded(*shape, seed=step + 9)
        gradients = []
        for module in (ours, theirs):
            leaf = x.clone().requires_grad_()
            y = module(leaf)
            gradients.append((y, *torch.autograd.grad(y, [leaf, module.weight, module.bias], upstream)))
        for mine, reference in zip(*gradients, strict=True):
            torch.testing.assert_close(mine, reference)
        torch.testing.assert_close(ours.state_dict(), theirs.state_dict())
        torch.testing.assert_close(gradients[0][1].transpose(0, 1).flatten(1).sum(1), torch.zeros(3).double())
    ours.eval(), theirs.eval()
    x = seeded(*shape, seed=20)
    torch.testing.assert_close(ours(x), theirs(x))
    torch.testing.assert_close(ours.state_dict(), theirs.state_dict())


@pytest.mark.parametrize("shape", [(1, 3), (1, 3, 1)])
def test_batch_norm_refuses_one_value_per_channel_in_training_only(shape: tuple[int, ...]) -> None:
    norm = ManualBatchNorm(3)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        norm(torch.zeros(shape))
    assert norm.eval()(torch.zeros(shape)).shape == shape


def test_batch_norm_keeps_its_statistics_over_an_empty_batch() -> None:
    norm = ManualBatchNorm(3)
    assert norm(torch.zeros(0, 3)).shape == (0, 3)
    assert norm.running_mean.tolist() == [0, 0, 0]
    assert norm.running_var.tolist() == [1, 1, 1]


def test_batch_norm_depends_on_the_other_rows_and_layer_norm_does_not() -> None:
    x = seeded(4, 6).float()
    other = torch.cat([x[:1], x[1:] * 10])
    assert torch.equal(ManualLayerNorm(6)(x)[0], ManualLayerNorm(6)(other)[0])
    assert not torch.allclose(ManualBatchNorm(6)(x)[0], ManualBatchNorm(6)(other)[0])


def test_batch_norm_names_the_shape_it_wants() -> None:
    with pytest.raises(ValueError, match=r"x must be \(N, 3, \.\.\.\), not \(4, 5\)"):
        ManualBatchNorm(3)(torch.zeros(4, 5))


def test_a_constant_row_gives_the_bias_not_nan() -> None:
    norm = ManualLayerNorm(1000)
    y = norm(torch.full((1, 1000), 1000.1))
    assert math.isfinite(y.sum().item())
    assert y.abs().max() < 0.2
