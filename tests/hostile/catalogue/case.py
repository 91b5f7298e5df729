"""What an attack is: the file a student hands in, and every way in which grading it may end.

An attack says itself what came of it: `held: <name>` for what the sandbox refused, `BROKEN: <name>` for what it let through.
"""

from dataclasses import dataclass
from typing import Literal

from autograder.judge.report import Reason, Verdict

Outcome = tuple[Verdict, Reason | None]
Place = Literal["after", "instead"]

PASSED: tuple[Outcome, ...] = (("passed", None),)
WRONG: tuple[Outcome, ...] = (("failed", None), ("partial", None))
GRADED: tuple[Outcome, ...] = PASSED + WRONG


def error(*reasons: Reason) -> tuple[Outcome, ...]:
    return tuple(("error", reason) for reason in reasons)


@dataclass(frozen=True)
class Case:
    """One attack. `number` is its number in the catalogue, None for those of our own invention."""

    number: int | None
    name: str
    attack: str
    outcomes: tuple[Outcome, ...] = PASSED
    exercise: str = "value-engine"
    place: Place = "after"  # after the right solution, or instead of one
    held: tuple[str, ...] = ()  # what the attack tries and must report as refused
    prints: tuple[str, ...] = ()  # text that must be in what the file printed
    says: tuple[str, ...] = ()  # text that must be somewhere in the report
    never: tuple[str, ...] = ()  # text that must be nowhere in the report
    swift: bool = False  # graded under the tighter limits: it is going to use them up
    costs: float = 12.0  # seconds that the judge may work on the answers at most

    def __str__(self) -> str:
        return f"{self.number or 'own'}-{self.name.replace(' ', '-')}"

    def submission(self, solution: bytes) -> bytes:
        attack = self.attack.encode("utf-8", "surrogatepass")
        return attack if self.place == "instead" else solution + b"\n\n" + attack


ATTEMPT = r'''
def attempt(name, action):
    """Do it, and say whether it was refused."""
    try:
        result = action()
    except Exception as error:
        print(f"held: {name}: {type(error).__name__}: {str(error)[:60]}")
        return None
    print(f"BROKEN: {name}: {str(result)[:200]}")
    return result
'''

SYSCALL = r"""
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def system_call(name, number, *arguments, refusals=("EPERM",)):
    # Ask the kernel directly; only a refusal before it looks at the arguments counts.
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *(a if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments))
    if result == 0 and number in (56, 57, 58, 435) and os.getpid() != PID:
        os._exit(0)  # a child that should not exist
    said = errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else f"returned {result}"
    print(f"{'held' if said in refusals else 'BROKEN'}: {name}: {said}")


PID = os.getpid()
"""

# The runner is two frames away from the student's first line: assume that everybody finds it.
RUNNER = r"""
import os
import struct
import sys

runner = sys._getframe(0).f_back.f_locals["self"]
wire = type(runner)._answer.__globals__
Answer, Loaded, Raised, Ask = (wire[name] for name in ("Answer", "Loaded", "Raised", "Ask"))
msgpack = type(runner._channel._codec._encoder)


def write_frame(header, body=b"", descriptor=4):
    data = memoryview(struct.pack(">II", len(header), len(body)) + header + body)
    while data:
        data = data[os.write(descriptor, data[: 1 << 20]) :]


def pack(value):
    return msgpack().encode(value)


def serve(make):
    # Take the runner's place: answer every question with what make(number) returns, as (header, body).
    write_frame(pack(Loaded([], [])))
    while True:
        question = runner._channel.receive()
        if question is None:
            os._exit(0)
        write_frame(*make(question.number))
"""

# Values as they stand on the wire, with every field the attacker's to choose.
ARRAY = r"""
LIST, TUPLE, MAP = (b"\x92" + bytes([tag]) for tag in (4, 5, 6))  # in front of a msgpack array or map


def array(kind="numpy", dtype="float64", shape=(), graph=False, layout="contiguous"):
    return pack([1, kind, dtype, list(shape), graph, layout])


def answer(number, value):
    # an Answer whose value is bytes of msgpack made by hand
    return b"\x83" + pack("type") + pack("answer") + pack("number") + pack(number) + pack("value") + value
"""
