"""What authors may add to `checks.py`, as examples: the very lines, for three of the exercises.

They stand here so that the tests measure them; an exercise that holds them needs no entry.
"""

from collections.abc import Callable, Mapping
from typing import Any

from autograder.judge.diagnosis.declare import forward_of, module_of, second_order_of, symptom
from autograder.judge.pack import Pack


def declare_all(packs: Mapping[str, Pack]) -> None:
    for slug, declare in LINES.items():
        if slug in packs:
            declare(module_of(packs[slug]))


def vjp_unbroadcast(module: str) -> None:
    forward_of("add_vjp", lambda x, y: x + y, module=module)
    forward_of("mul_vjp", lambda x, y: x * y, module=module)
    forward_of(
        "unbroadcast", lambda x, g: x.expand(g.shape), split=lambda g, shape: (g, (g.new_zeros(shape), g)), module=module
    )


def fn_cubic(module: str) -> None:
    forward_of("Cubic", lambda x: x**3, module=module)


def hvp(module: str) -> None:
    def asked(name: str, x: Any, v: Any, constants: Any, how: str) -> tuple[Callable[[Any], Any], Any, Any]:
        import torch

        functions: dict[str, Callable[[Any], Any]] = {
            "cubic form": lambda t: (t[:-1] * t[1:] ** 2).sum() + (t**3).sum() / 6,
            "logsumexp": lambda t: torch.logsumexp(t, 0),
            "one number": lambda t: t.sin() * t,
            "linear": lambda t: (constants.detach() * t).sum(),
            "linear with learned slopes": lambda t: (constants.detach() * t).sum(),
            "constant that is learned": lambda t: (constants.detach() ** 2).sum(),
            "constant": lambda t: torch.ones((), dtype=t.dtype),
            "partly unused": lambda t: (t[0] ** 3) * t[1],
            "matrix": lambda t: (t @ t.T).sum() + (t**3).sum(),
            "steep": lambda t: torch.sin(30 * t).sum() * t[0] + 1e4 * t.sum(),
        }
        direction = x if how == "v is x" else 2 * x if how == "v from x" else v.detach()
        return functions[name], x, direction

    second_order_of("product", asked, answer=("result",), module=module)
    symptom("writes-grad", lambda right, given: given["flags"] is False and given["kept"] is True, module=module)
    symptom("full-hessian", lambda right, given: given > 60 > right, check="cost", module=module)


LINES: dict[str, Callable[[str], None]] = {"vjp-unbroadcast": vjp_unbroadcast, "fn-cubic": fn_cubic, "hvp": hvp}

# the exercises whose every wrong solution is known to be explained
EXPLAINED = (
    "accumulate-bug",
    "backward-twice",
    "detach-vs-nograd",
    "fn-cubic",
    "graph-build",
    "graph-walk",
    "history-leak",
    "hvp",
    "microbatch",
    "topo-grad-fn",
    "value-accumulate",
    "value-engine",
    "value-hash-trap",
    "value-rebackward",
    "value-tanh-relu",
    "value-unary",
    "vjp-unbroadcast",
)
