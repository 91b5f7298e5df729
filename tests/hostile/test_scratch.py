"""The attacks of the catalogue, made from the scratch cell: as calls, beside the right solution.

What comes back is text of limited length whatever they do, and there is nothing in the session that would be worth finding.
"""

import json
import unicodedata

import msgspec
import pytest

from autograder.judge.grade import Judge
from autograder.submissions.scratch.answer import VALUE_LIMIT, ScratchAnswer
from autograder.submissions.scratch.running import run_scratch
from tests.hostile.catalogue import channel, endings, machine, resources, steal, system
from tests.hostile.catalogue.case import RUNNER, Case
from tests.hostile.ground import JUDGE_GROWTH, MIB, VARIABLE, Ground, peak_bytes, texts, zygote_of

pytestmark = pytest.mark.hostile
MODULES = (steal, channel, resources, system, machine, endings)
ATTACKS = [case for module in MODULES for case in module.CASES if case.place == "after"]
FINDS_THE_RUNNER = """
import sys
frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "_channel"):
    frame = frame.f_back
""" + RUNNER.replace('sys._getframe(0).f_back.f_locals["self"]', 'frame.f_locals["self"]')
FORGED = {
    "a number": "1",
    "another key": '{"value": "1"}',
    "a value too long": '{**GOOD, "value": "x" * 1_000_000}',
    "bytes": '{**GOOD, "value": b"x"}',
    "a line without end": '{**GOOD, "exception": "E", "lines": [["code", 10**12, "f"]] * 5}',
    "too many lines": '{**GOOD, "exception": "E", "lines": [["code", 1, "f"]] * 5000}',
    "a line of another file": '{**GOOD, "exception": "E", "lines": [["/etc/passwd", 1, "f"]]}',
    "markup and control characters": '{**GOOD, "exception": "<script>alert(1)</script>\\x1b[2J", "message": "\\u202e<b>"}',
}
GOOD = """GOOD = {"value": None, "cut": False, "exception": "", "message": "", "lines": [], "unreadable": False, "starved": False}
"""


def run(ground: Ground, judge: Judge, exercise: str, calls: str, code: bytes | None = None) -> ScratchAnswer:
    pack = ground.packs[exercise]
    source = pack.solution if code is None else code
    answer = run_scratch(
        ground.warm(judge, exercise), pack.limits(judge.ceiling), source, calls.encode("utf-8", "surrogatepass")
    )
    assert_clean(ground, answer)
    return answer


def assert_clean(ground: Ground, answer: ScratchAnswer) -> None:
    encoded = msgspec.json.encode(answer)
    assert json.loads(encoded)
    assert len(encoded) < 2 * MIB
    assert ground.secret.encode() not in encoded and VARIABLE.encode() not in encoded
    for text in texts(msgspec.to_builtins(answer)):
        odd = {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}
        assert not odd, f"control characters in the answer: {odd}"
    assert "BROKEN" not in answer.output, [line for line in answer.output.splitlines() if line.startswith("BROKEN")][:5]


@pytest.mark.any_sandbox  # each sandbox is attacked by the submissions of test_catalogue.py
@pytest.mark.parametrize("case", ATTACKS, ids=str)
def test_attack(case: Case, ground: Ground) -> None:
    judge = ground.swift if case.swift else ground.normal
    box = ground.warm(judge, case.exercise)
    zygote, peak = zygote_of(box), peak_bytes()
    run(ground, judge, case.exercise, case.attack)
    ground.assert_alone(box)
    ground.assert_no_files()
    ground.was_attacked(judge, case.exercise, f"scratch {case}")
    assert zygote_of(box) == zygote, "the attack cost the zygote its life"
    assert peak_bytes() - peak < JUDGE_GROWTH


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ("while True: pass", "timeout-cpu"),
        ("import time\ntime.sleep(3600)", "timeout-wall"),
        ("print('x' * 100_000_000)", "output"),
        ("[0] * 10**11", "memory"),
        ("import os\nos._exit(0)", "crash"),
        ("import ctypes\nctypes.string_at(0)", "crash"),
        ("import os\nfor n in range(3, 64):\n    try: os.close(n)\n    except OSError: pass", "crash"),
    ],
)
def test_each_limit_and_each_end_has_its_reason(ground: Ground, calls: str, reason: str) -> None:
    judge = ground.normal if reason == "timeout-cpu" else ground.swift  # a busy machine would be late before it had computed
    answer = run(ground, judge, "value-engine", calls)
    assert answer.reason == reason
    assert answer.message.endswith(".") or answer.reason == "memory"
    assert "submission" not in answer.message


def test_a_flood_is_kept_up_to_its_cap(ground: Ground) -> None:
    answer = run(ground, ground.normal, "value-engine", "print('x' * 200_000)\n'the end'")
    assert (answer.reason, answer.output_cut, answer.value) == (None, True, "'the end'")
    assert len(answer.output) == 64 * 1024


def test_what_was_printed_before_the_end_is_shown(ground: Ground) -> None:
    answer = run(ground, ground.swift, "value-engine", "print('begun', flush=True)\nwhile True: pass")
    assert answer.output == "begun\n"


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_forged_answer_is_text_or_nothing(ground: Ground, forged: str) -> None:
    """The calls take the place of the runner and answer in its name."""
    reply = f"write_frame(pack(Answer(1, runner._values.to_wire({forged}), None)))"
    calls = f"{FINDS_THE_RUNNER}\n{GOOD}{reply}\nimport time\ntime.sleep(1)"
    answer = run(ground, ground.swift, "value-engine", calls)
    assert answer.value is None or len(answer.value) <= VALUE_LIMIT * 2
    assert all(line.place in ("code", "scratch") and line.number < 1000 for line in answer.lines)


def test_a_value_that_lies_about_itself_is_its_repr_and_nothing_more(ground: Ground) -> None:
    calls = """
class Text(str):
    def __getitem__(self, key): return self
    def __len__(self): return 0
    def encode(self, *given): return b"\\x80"

class Liar:
    def __repr__(self): return Text("y" * 1_000_000)

Liar()
"""
    answer = run(ground, ground.normal, "value-engine", calls)
    assert answer.value == "y" * VALUE_LIMIT
    assert answer.value_cut


def test_an_exception_that_lies_about_itself(ground: Ground) -> None:
    calls = """
class Meta(type):
    __module__ = property(lambda self: 5)
    __qualname__ = property(lambda self: 1 / 0)

class Liar(Exception, metaclass=Meta):
    def __str__(self): raise ValueError
    __traceback__ = property(lambda self: None)

raise Liar
"""
    assert run(ground, ground.normal, "value-engine", calls).reason in ("exception", "protocol")


def test_the_session_contains_nothing_of_the_exercise(ground: Ground) -> None:
    """Neither its checks nor its reference: what the host sends is what the student wrote."""
    search = """
import gc
gc.unfreeze()
boxes = [value for value in gc.get_objects() if type(value) in (dict, list, tuple) and value is not globals()]
found = 0
for box in boxes:
    for item in list(box.values() if type(box) is dict else box):
        found += type(item) is str and mark in item or type(item) is bytes and mark.encode() in item
len(boxes) > 1000, found
"""
    ground.grade(ground.normal, "value-engine", ground.packs["value-engine"].solution)  # on the same zygote, before it
    names = [check.id.split("-") for check in ground.packs["value-engine"].checks if check.id.count("-")]
    assert names
    for words in names:
        mark = f"mark = '-'.join({words})\n"
        assert run(ground, ground.normal, "value-engine", mark + search, b"x = 1").value == "(True, 0)", words
