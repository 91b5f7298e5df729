"""Predictions are made ahead of time, kept by version, and matched exactly or not at all."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from autograder.judge import pack as packs_of
from autograder.judge.diagnosis import bank, dictionary, fingerprint, rewrites
from autograder.judge.diagnosis.fingerprint import Fingerprint
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.transcript import FAILED, PASSED, Exchange, Transcript, Trial, transcribe

WRITTEN = {"wrong/silent.py": "def echo(x):\n    return None\n", "solution.py": "def echo(x):\n    y = x\n    return y\n"}


def test_a_transcript_holds_every_exchange_up_to_the_first_failure(
    judge: Judge, write_exercise: Callable[..., Path]
) -> None:
    pack = packs_of.load(write_exercise())
    seen = transcribe(judge.sandbox("python"), pack, b"def echo(x): return x if x == 'word' else -1", (1, 2))
    assert [(t.check, t.seed, t.ending) for t in seen.trials] == [
        ("integer", 1, FAILED), ("integer", 2, FAILED), ("word", 1, PASSED), ("word", 2, PASSED),
    ]  # fmt: skip
    assert seen.trials[0].exchanges[0].value == -1
    assert seen.failed == {"integer"}


def test_an_exception_is_part_of_the_transcript(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise())
    seen = transcribe(judge.sandbox("python"), pack, b"def echo(x): return 1 / 0", (1,), checks=["integer"])
    raised = seen.trials[0].exchanges[0].raised
    assert raised is not None and raised.type_name == "ZeroDivisionError"


def test_a_job_that_ends_or_is_late_ends_the_transcript(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise())
    box = judge.sandbox("python")
    ended = transcribe(box, pack, b"import os\ndef echo(x): os._exit(3)", (1, 2))
    assert [t.ending for t in ended.trials] == ["ended"] and ended.trouble
    late = transcribe(box, pack, b"def echo(x):\n    while True: pass", (1, 2), seconds=0.1)
    assert [t.ending for t in late.trials] == ["late"]
    assert transcribe(box, pack, b"1 / 0", (1,)).trouble == "raised ZeroDivisionError"


def test_a_dictionary_is_made_once_for_a_version(judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path) -> None:
    pack = packs_of.load(write_exercise(WRITTEN))
    box = judge.sandbox("python")
    first = dictionary.load(box, pack, tmp_path / "cache")
    (path,) = (tmp_path / "cache").iterdir()
    written = path.stat().st_mtime_ns
    assert dictionary.load(box, pack, tmp_path / "cache") == first
    assert path.stat().st_mtime_ns == written
    assert dictionary.path_of(dataclasses.replace(pack, version="other"), tmp_path) != dictionary.path_of(pack, tmp_path)


def test_hand_written_wrong_solutions_are_not_in_the_dictionary(packs: dict[str, Pack]) -> None:
    """Else the figures would be worth nothing."""
    pack = packs["value-engine"]
    dropped = dataclasses.replace(pack, wrong={})
    assert bank.candidates(pack.solution.decode()) == bank.candidates(dropped.solution.decode())


def test_numbers_agree_to_seven_digits_and_no_further() -> None:
    one = Fingerprint(b"s", ((1.0, 2.0),))
    assert fingerprint.same(one, Fingerprint(b"s", ((1.0 + 1e-9, 2.0),)))
    assert not fingerprint.same(one, Fingerprint(b"s", ((1.0 + 1e-5, 2.0),)))
    assert not fingerprint.same(one, Fingerprint(b"t", ((1.0, 2.0),)))


def test_the_same_mistake_in_several_places_is_one_candidate(packs: dict[str, Pack]) -> None:
    found = bank.candidates(packs["value-engine"].solution.decode())
    everywhere = [c for c in found if set(c.operators) == {"overwrite"} and c.source.count(".grad = ") >= 5]
    assert everywhere, "all four `+=` assigned at once"
    assert len({c.source for c in found}) == len(found)


def test_every_rewrite_is_a_program(packs: dict[str, Pack]) -> None:
    for pack in packs.values():
        for mutant in rewrites.generate(pack.solution.decode()):
            compile(mutant.source, mutant.words, "exec")


def test_a_check_that_a_candidate_fails_only_at_times_does_not_speak_against_it() -> None:
    wrong = Trial("a", 1, FAILED, "", (Exchange("call", "f", (), {}, 1.5),))
    other = Trial("b", 1, FAILED, "", (Exchange("call", "f", (), {}, 2.5),))
    seen = Transcript((wrong, other))
    at_times = dictionary.Entry(("sign",), "", "", frozenset("ab"), {"a": (fingerprint.of_trial(wrong),)})
    always = dictionary.Entry(("sign",), "", "", frozenset("ab"), dict.fromkeys("ab", (fingerprint.of_trial(wrong),)))
    known = dictionary.Dictionary((1,), (at_times, always), (), {})
    assert known.matches(seen, "ab") == [(at_times, ("a",))]


def test_what_merely_raises_is_asked_last() -> None:
    known = dictionary.Dictionary((1,), (), (), {"a": 0.1, "b": 0.2, "c": 0.3})
    assert known.affordable("abc", 1.0) == ["a", "b", "c"]
    assert known.affordable("abc", 0.55, last="a") == ["b", "c"]
