"""The judge answers `t19` of leaf-quiz without torch.optim, whose import takes a second. The real optimiser agrees."""

import torch

from autograder.judge.pack import Pack


def test_zero_grad_without_set_to_none_leaves_zeros(packs: dict[str, Pack]) -> None:
    w = torch.ones(3, requires_grad=True)
    (w * 2).sum().backward()  # type: ignore[no-untyped-call]
    torch.optim.SGD([w], lr=0.1).zero_grad(set_to_none=False)
    assert w.grad is not None and not w.grad.any()
    scope: dict[str, dict[str, object]] = {}
    exec(packs["leaf-quiz"].solution, scope)
    assert scope["answers"]["t19"] == "zeros"
