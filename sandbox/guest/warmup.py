"""Imports and exercises libraries in a zygote before its first fork, so that no submission pays for it.

The first gradcheck of a process imports several hundred modules; the first optimiser step, `torch.func` call and Hessian
import as many again. After one run here, every job shares them.
"""

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.guest.operations import engine, trace
from sandbox.guest.runner import Operation
from sandbox.guest.values import Values
from sandbox.wire import Array

STANDARD = [
    "abc",
    "array",
    "ast",
    "bisect",
    "cmath",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "inspect",
    "io",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "queue",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "warnings",
    "weakref",
]


def operations(profile: str) -> dict[str, Operation]:
    known: dict[str, Operation] = {"engine.run": engine.run, "engine.trace": trace.trace}
    if profile in ("numpy", "torch"):
        from sandbox.guest.operations import tensors

        known["tensors.run"] = tensors.run
    if profile == "torch":
        from sandbox.guest.operations import functions, graphs, memory

        known |= {
            "function.forward": functions.forward,
            "function.vjp": functions.vjp,
            "function.second_vjp": functions.second_vjp,
            "function.backward": functions.backward,
            "function.nth": functions.nth,
            "graph.export": graphs.export,
            "memory.saved": memory.saved,
        }
    return known


def exercise(profile: str, values: Values, known: dict[str, Operation]) -> dict[str, str]:
    """Import and use the profile's libraries. Returns the versions that a submission will find."""
    for name in STANDARD:
        importlib.import_module(name)
    _provide_past_builtins()
    versions = {"python": sys.version.split()[0]}
    if profile in ("numpy", "torch"):
        versions["numpy"] = _exercise_numpy(values)
    if profile == "torch":
        versions["torch"] = _exercise_torch(values, known)
    return versions


def _provide_past_builtins() -> None:
    """Provide `from past.builtins import xrange`, with which files written for both Python 2 and 3 often begin."""
    package, names = types.ModuleType("past"), types.ModuleType("past.builtins")
    package.__path__ = []
    package.builtins = names  # type: ignore[attr-defined]
    vars(names).update(xrange=range, basestring=str, unicode=str, long=int, raw_input=input, unichr=chr)
    sys.modules |= {"past": package, "past.builtins": names}


def _exercise_numpy(values: Values) -> str:
    import numpy as np

    for layout in ("contiguous", "transposed", "strided"):
        array = values.from_wire(Array("numpy", "float64", (2, 2), bytes(32), layout=layout))
        values.to_wire([np.einsum("ij,kj->ik", array, array), np.linalg.norm(array), array.sum(axis=0)])
    np.random.default_rng(0).normal(size=3)
    return str(np.__version__)


def _exercise_torch(values: Values, known: dict[str, Operation]) -> str:
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, *upstream: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return torch.mul(3 * x * x, upstream[0])

    example = types.ModuleType("example")
    example.Cube = Cube  # type: ignore[attr-defined]
    point = torch.linspace(0.5, 1.5, 3, dtype=torch.float64)
    x, g, weight = (point.clone() for _ in range(3))  # these operations make their arguments require grad
    for name, arguments in (
        ("function.forward", [[[x]]]),
        ("function.vjp", [[[[x], [g]]]]),
        ("function.second_vjp", [[[[x], [g], [weight]]]]),
        ("function.backward", [[[[x], [weight]]]]),
        ("memory.saved", [x]),
    ):
        known[name](example, arguments, {"name": "Cube"})
    known["function.nth"](example, [x], {"name": "Cube", "order": 3})
    leaf = point.clone().requires_grad_()
    torch.autograd.gradcheck(Cube.apply, (leaf,))
    torch.autograd.gradgradcheck(Cube.apply, (leaf,))
    for layout in ("contiguous", "transposed", "strided"):
        values.to_wire(values.from_wire(Array("torch", "float64", (2, 2), bytes(32), layout=layout)))

    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    for kind in (torch.optim.SGD, torch.optim.Adam):
        optimiser = kind(model.parameters(), lr=0.1)
        optimiser.zero_grad()
        nn.functional.mse_loss(model(torch.ones(2, 3)), torch.ones(2, 1)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    square: Callable[[torch.Tensor], torch.Tensor] = lambda t: (t * t).sum()  # noqa: E731
    torch.func.hessian(square)(point)
    torch.func.vmap(torch.func.grad(square))(torch.ones(2, 3))
    torch.func.jvp(square, (point,), (point,))
    torch.func.vjp(square, point)
    torch.autograd.functional.hvp(square, point, point)  # type: ignore[no-untyped-call]
    return str(torch.__version__)
