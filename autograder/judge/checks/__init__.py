"""What a `checks.py` imports. Everything an author needs is here or in the module that its name says:

`engine` (programs for scalar classes), `vjp` (batteries for hand-written VJPs), `functions` (gradcheck on proxies; imports
torch), `graphs` (backward graphs), `memory` (what is saved, in-place edits, expected errors). See docs/checks.md.
"""

from autograder.judge.arrays import array, tensor, to_numpy
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
from autograder.judge.probes import Probe, probe
from autograder.judge.student import Student

__all__ = [
    "SCALAR",
    "SINGLE",
    "TENSOR",
    "VJP",
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
