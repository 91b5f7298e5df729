"""The check library: what a `checks.py` imports.

More is in the modules `engine` (programs for scalar classes), `vjp` (hand-written VJPs), `functions` (gradcheck; imports
torch), `graphs` (backward graphs) and `memory` (saved tensors, modified arguments, expected exceptions). See docs/checks.md.
"""

from autograder.judge.arrays import array, tensor, to_numpy
from autograder.judge.checks.callbacks import Callback
from autograder.judge.checks.compare import (
    SCALAR,
    SINGLE,
    TENSOR,
    VJP,
    CheckFailed,
    Tolerance,
    describe,
    expect,
    expect_close,
    expect_equal,
    expect_number,
    fail,
)
from autograder.judge.checks.registry import Check, check, variety
from autograder.judge.checks.student import Student
from autograder.judge.probes import Probe, probe

__all__ = [
    "SCALAR",
    "SINGLE",
    "TENSOR",
    "VJP",
    "Callback",
    "Check",
    "CheckFailed",
    "Probe",
    "Student",
    "Tolerance",
    "array",
    "check",
    "describe",
    "expect",
    "expect_close",
    "expect_equal",
    "expect_number",
    "fail",
    "probe",
    "tensor",
    "to_numpy",
    "variety",
]
