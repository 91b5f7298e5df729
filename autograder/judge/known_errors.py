"""Recognises the exceptions that students raise most often; `explain.advice.errors` says what each means.

Type names and messages come from the sandbox. They are only searched with patterns, and no pattern backtracks for long.
"""

import re

_PATTERNS = {  # matched at the start of "Type: message", in this order
    "missing-backward": r"NotImplementedError: You must implement either the backward",
    "not-written": r"NotImplementedError\b",
    "graph-freed": r"RuntimeError: Trying to backward through the graph a second time",
    "no-grad-fn": r"RuntimeError: element \d+ of tensors does not require grad",
    "grad-of-unused": r"RuntimeError: (The differentiated Tensor at index|One of the differentiated Tensors)",
    "modified-in-place": r"RuntimeError: one of the variables needed for gradient computation has been modified by an inplace",
    "leaf-in-place": r"RuntimeError: a (view of a )?leaf Variable that requires grad is being used in an in-place",
    "not-a-scalar": r"RuntimeError: grad can be implicitly created only for scalar outputs",
    "numpy-of-graph": r"RuntimeError: Can't call numpy\(\) on Tensor that requires grad",
    "count-of-gradients": r"RuntimeError: function \w+ returned an incorrect number of gradients",
    "shape-of-gradient": r"RuntimeError: Function \w+ returned an invalid gradient at index",
    "legacy-function": r"RuntimeError: Legacy autograd function with non-static forward",
    "wrong-dtype": (
        r"(?i)\w*Error: .{0,300}(same dtype|expected scalar type|Found dtype|could not infer output dtype|Cannot cast ufunc"
        r"|desired output type|[Oo]nly Tensors of floating point)"
    ),
    "wrong-shape": (
        r"(?i)\w*Error: .{0,300}(shapes cannot be multiplied|must match the size|size mismatch|is invalid for input of size"
        r"|must match the existing size|could not be broadcast|core dimension|cannot reshape array)"
    ),
    "none-used": r"(AttributeError: 'NoneType' object|TypeError: .{0,200}'NoneType')",
    "too-deep": r"RecursionError\b",
    "plain-number": r"(TypeError: unsupported operand type\(s\) for |AttributeError: '(int|float)' object has no attribute )",
    "wrong-arguments": r"TypeError: .{0,200}(positional argument|unexpected keyword argument|required keyword-only argument)",
    "unhashable": r"TypeError: unhashable type",
    "ambiguous-truth": (
        r"\w+: (Boolean value of Tensor with more than one value|The truth value of an array with more than one element)"
    ),
    "unknown-name": r"(NameError|UnboundLocalError)\b",
    "not-installed": r"(ModuleNotFoundError|ImportError)\b",
    "not-permitted": r"(PermissionError|BlockingIOError)\b",
    "exited": r"(SystemExit|KeyboardInterrupt)\b",
    "index-or-key": r"(IndexError|KeyError)\b",
    "outside-the-domain": r"(ZeroDivisionError|OverflowError)\b",
    "no-attribute": r"AttributeError\b",
}
_KNOWN = {key: re.compile(pattern) for key, pattern in _PATTERNS.items()}
KEYS = tuple(_KNOWN)


def known_error(exception: str, message: str) -> str:
    """The key of a known exception, or an empty string. The module of the exception type is ignored."""
    raised = f"{exception.rpartition('.')[2]}: {message}"
    return next((key for key, pattern in _KNOWN.items() if pattern.match(raised)), "")
