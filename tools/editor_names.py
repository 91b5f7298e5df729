"""`python -m tools.editor_names`: generates the names for the editor's completion from the libraries of the sandbox.

Each profile offers the modules that it can import and the methods of its arrays. Private names are left out, also what
needs other hardware, and torch's in-place functions such as `torch.exp_`, which are offered as methods.
"""

import builtins
import json
import keyword
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType

TARGET = Path(__file__).resolve().parents[1] / "frontend" / "src" / "editor" / "names.json"
CONTEXT = (
    *("save_for_backward", "saved_tensors", "needs_input_grad", "mark_dirty", "mark_non_differentiable"),
    *("set_materialize_grads", "save_for_forward"),
)
TORCH = (
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.func",
    "torch.linalg",
)
NUMPY = ("numpy", "numpy.linalg", "numpy.random")
ELSEWHERE = re.compile(r"cuda|xpu|ipu|hpu|mtia|maia|vulkan|xla|mkldnn|sparse|quantize|^q_|^c(col|row)_")  # nothing for here
INTERNAL = re.compile(  # what torch calls itself, and types that no exercise uses
    r"cudnn|miopen|fbgemm|^native_|_backward_|_elemt|_stats|(?<!index)_copy$|autocast|^unsafe_|qparams|fake_quant|^sym_|_cell$"
    r"|^u?int[1-7]$|^bits?\d|^bit$|^qu?int|^float[48]_|^import_ir|^parse_|_type_|has_torch_function|handle_torch"
    r"|^boolean_dispatch$|^assert_int|_with_indices$|^(ds|hs|hsp|s|sp|sad|sspad)d?mm$|^slice_inverse$|^has_(lapack|mkl|openmp|spectral)$"
)
FIRST = (  # what exercises are about, offered before other names that match as well
    *(
        "no_grad",
        "enable_grad",
        "is_grad_enabled",
        "autograd",
        "Function",
        "grad",
        "backward",
        "requires_grad",
        "detach",
        "clone",
    ),
    *("tensor", "Tensor", "zeros", "zeros_like", "ones", "ones_like", "empty_like", "array", "asarray", "arange", "eye"),
    *("exp", "log", "tanh", "sqrt", "sum", "mean", "max", "maximum", "where", "einsum", "matmul", "stack", "concatenate"),
    *("reshape", "transpose", "swapaxes", "broadcast_to", "expand_dims", "squeeze", "unsqueeze", "add", "outer", "sigmoid"),
    *("softmax", "relu", "gradcheck", "vjp", "jvp", "vmap"),
)
SITE = {"copyright", "credits", "license", "exit", "quit"}  # names of interactive sessions
EXTRA = {
    "torch": ["autograd", "func", "linalg", "nn"],
    "torch.autograd": ["functional", "gradcheck", "gradgradcheck"],
    "torch.autograd.Function": ["apply"],
    "numpy": ["linalg", "random"],
}
CLASSES = {"torch": ("Tensor", "Size", "Generator")}  # the relevant ones; the others are internal


def names() -> dict[str, object]:
    """Return modules by full name, array methods by profile, the attributes of `ctx`, the names to offer first, and Python's
    keywords and builtins.
    """
    import numpy
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = {name: _public(_module(name)) for name in (*NUMPY, *TORCH)}
        return {
            "profiles": {"python": [], "numpy": list(NUMPY), "torch": [*NUMPY, *TORCH, "torch.autograd.Function"]},
            "modules": modules | {"torch.autograd.Function": " ".join(EXTRA["torch.autograd.Function"])},
            "methods": {"numpy": _joined(dir(numpy.ndarray)), "torch": _joined(dir(torch.Tensor))},
            "context": " ".join(CONTEXT),
            "first": " ".join(FIRST),
            "python": _joined([*keyword.kwlist, *({*filter(str.islower, dir(builtins))} - SITE)]),
        }


def _module(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


def _public(module: ModuleType) -> str:
    """Return the public names of a module; without `__all__`, those it defines or re-exports, without modules."""
    said = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not isinstance(value, ModuleType) and getattr(value, "__module__", "").startswith("torch")
    ]
    if module.__name__ in ("torch", "torch.nn.functional"):
        said = [name for name in said if name[0].islower() or name in CLASSES.get(module.__name__, ())]
        said = [name for name in said if not name.endswith("_")]
    return _joined([*said, *EXTRA.get(module.__name__, ())])


def _joined(found: list[str]) -> str:
    return " ".join(
        sorted(
            {name for name in found if not name.startswith("_") and not ELSEWHERE.search(name) and not INTERNAL.search(name)}
        )
    )


def text() -> str:
    return json.dumps(names(), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
