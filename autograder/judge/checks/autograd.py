"""References that torch's autograd computes from a forward function. They run in the judge."""

from collections.abc import Callable

import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks.vjp import Reference


def vjp_of(forward: Callable[..., torch.Tensor]) -> Reference:
    """The VJP of a function of tensors, as a function of arrays: the upstream gradient, then the inputs."""

    def vjp(g: Numbers, *inputs: Numbers) -> tuple[Numbers, ...]:
        leaves = [torch.from_numpy(np.array(values)).requires_grad_() for values in inputs]
        gradients = torch.autograd.grad(
            forward(*leaves), leaves, torch.from_numpy(np.array(g)), allow_unused=True, materialize_grads=True
        )
        return tuple(gradient.numpy() for gradient in gradients)

    return vjp
