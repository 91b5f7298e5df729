"""Predictions are made ahead of time, kept by version, and matched exactly or not at all."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.explain.diagnosis import edits, fingerprint, prediction
from autograder.explain.diagnosis.dictionary import Dictionary, Prediction
from autograder.explain.diagnosis.fingerprint import Fingerprint
from autograder.explain.diagnosis.transcript import FAILED, PASSED, RAISED, Transcript, Trial, transcribe
from autograder.explain.recorder import Exchange
from autograder.judge import pack as packs_of
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Endings
from autograder.prove.stored_proofs import wrong_endings
from sandbox.wire import Raised
from tests.conftest import SAMPLE
from tests.echo import PARTS
from tests.generated import rewrites_that_are_no_programs
from tests.replays import explained

WRITTEN = {"wrong/silent.py": "def echo(x):\n    return None\n", "solution.py": "def echo(x):\n    y = x\n    return y\n"}


def test_a_transcript_holds_every_exchange_up_to_the_first_failure(
    judge: Judge, write_exercise: Callable[..., Path]
) -> None:
    pack = packs_of.load(write_exercise())
    seen = transcribe(judge, pack, b"def echo(x): return x if x == 'word' else -1", (1, 2))
    assert [(t.check, t.seed, t.ending) for t in seen.trials] == [
        ("integer", 1, FAILED), ("integer", 2, FAILED), ("word", 1, PASSED), ("word", 2, PASSED),
    ]  # fmt: skip
    assert seen.trials[0].exchanges[0].value == -1
    assert seen.failed == {"integer"}


def test_an_exception_is_part_of_the_transcript(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise())
    seen = transcribe(judge, pack, b"def echo(x): return 1 / 0", (1,), checks=["integer"])
    raised = seen.trials[0].exchanges[0].raised
    assert raised is not None and raised.type_name == "ZeroDivisionError"


def test_a_job_that_ends_or_computes_too_long_ends_the_transcript(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise())
    ended = transcribe(judge, pack, b"import os\ndef echo(x): os._exit(3)", (1, 2))
    assert [t.ending for t in ended.trials] == ["ended"] and ended.trouble
    endless = transcribe(judge, pack, b"def echo(x):\n    while True: pass", (1, 2), cpu_seconds=1)
    assert [t.ending for t in endless.trials] == ["ended"] and endless.trouble == "timeout-cpu"
    assert transcribe(judge, pack, b"1 / 0", (1,)).trouble == "raised ZeroDivisionError"


def test_a_dictionary_is_made_once_for_a_version(judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path) -> None:
    pack = packs_of.load(write_exercise(WRITTEN))
    first = prediction.learn(judge, pack, tmp_path / "cache")
    (path,) = (tmp_path / "cache").iterdir()
    written = path.stat().st_mtime_ns
    assert prediction.learn(judge, pack, tmp_path / "cache") == first
    assert path.stat().st_mtime_ns == written
    reworded = packs_of.load(write_exercise(WRITTEN | {"statement.md": "Write `echo` well.\n"}))
    assert prediction.path_of(reworded, tmp_path) == prediction.path_of(pack, tmp_path)
    other = packs_of.load(write_exercise(WRITTEN | {"right/other.py": "def echo(x):\n    return (x)\n"}))
    assert prediction.path_of(other, tmp_path) != prediction.path_of(pack, tmp_path)


def test_until_the_dictionary_is_made_the_wrong_solutions_serve(
    judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path
) -> None:
    pack = packs_of.load(write_exercise(WRITTEN))
    small = prediction.load(judge, pack, tmp_path / "cache")
    assert [entry.words for entry in small.entries] == ["wrong/silent.py"]
    whole = prediction.learn(judge, pack, tmp_path / "cache")
    assert len(whole.entries) > 1
    assert prediction.load(judge, pack, tmp_path / "cache") == whole


def test_the_edits_know_nothing_of_hand_written_wrong_solutions(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    """Else the figures would be worth nothing."""
    pack = packs_of.load(write_exercise(WRITTEN))
    whole = prediction.predict(judge, pack, proved=wrong_endings)
    assert [entry.words for entry in whole.entries if entry.known] == ["wrong/silent.py"]
    without = prediction.predict(judge, dataclasses.replace(pack, wrong={}))
    assert whole.edits().entries == without.entries


SLOW_WORD = "def echo(x):\n    while x == 'word': pass\n    return x\n"
SLOW = {
    "checks.py": PARTS["checks.py"].replace("hidden=True", "hidden=True, seconds=0.3"),
    "wrong/quadratic-membership.py": SLOW_WORD,
    "wrong/off-by-one.py": "def echo(x):\n    return x + 1\n",
}


def test_a_wrong_solution_that_is_slow_is_known_by_its_limit(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise(SLOW))
    known = prediction.predict(judge, pack, [], proved=wrong_endings)
    (slow,) = [entry for entry in known.entries if entry.limit]
    assert (
        slow.operators == ("quadratic-membership",) and slow.limit == ("word", "late") and slow.failed == frozenset({"word"})
    )
    mine = b"def echo(x):\n    while isinstance(x, str): pass\n    return x\n"
    (told,) = explained(judge, pack, mine, judge.grade(pack, mine), known)
    assert (told.key, told.checks, told.generator) == ("quadratic-membership", ("word",), "known")
    assert told.words.startswith("Your code exceeds the same limit")


def test_what_fails_a_check_of_speed_may_exceed_its_limit_on_a_slower_machine(
    judge: Judge, write_exercise: Callable[..., Path]
) -> None:
    fast = "def echo(x):\n    return -1 if x == 'word' else x\n"
    pack = packs_of.load(write_exercise(SLOW | {"wrong/quadratic-membership.py": fast}))
    known = prediction.predict(judge, pack, [], proved=wrong_endings)
    mine = SLOW_WORD.encode()
    (told,) = explained(judge, pack, mine, judge.grade(pack, mine), known)
    assert (told.key, told.checks, told.generator) == ("quadratic-membership", ("word",), "known")
    both = SLOW_WORD.replace("    return x", "    return x if isinstance(x, str) else x + 2").encode()
    assert [one.key for one in explained(judge, pack, both, judge.grade(pack, both), known)] == [""], (
        "more than speed is wrong"
    )


def test_a_limit_after_another_failure_is_another_mistake(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    pack = packs_of.load(write_exercise(SLOW))
    mine = SLOW_WORD.replace("return x", "return -1").encode()
    (told,) = explained(
        judge, pack, mine, judge.grade(pack, mine), prediction.predict(judge, pack, [], proved=wrong_endings)
    )
    assert told.key == ""


def test_numbers_agree_to_seven_digits_and_no_further() -> None:
    one = Fingerprint(b"s", ((1.0, 2.0),))
    assert fingerprint.same(one, Fingerprint(b"s", ((1.0 + 1e-9, 2.0),)))
    assert not fingerprint.same(one, Fingerprint(b"s", ((1.0 + 1e-5, 2.0),)))
    assert not fingerprint.same(one, Fingerprint(b"t", ((1.0, 2.0),)))


def test_a_steep_program_hides_no_other() -> None:
    def printed(slope: float) -> fingerprint.Fingerprint:
        answer = [[1e200 * n for n in range(300)], [slope, 1.0]]
        return Trial("a", 1, FAILED, "", (Exchange("call", "f", (), {}, answer),)).fingerprint

    assert fingerprint.same(printed(2.0), printed(2.0 + 1e-9))
    assert not fingerprint.same(printed(2.0), printed(2.5))


def test_the_same_mistake_in_several_places_is_one_candidate(packs: dict[str, Pack]) -> None:
    found = edits.candidates(packs["value-engine"].solution.decode())
    everywhere = [c for c in found if set(c.operators) == {"overwrite"} and c.source.count(".grad = ") >= 5]
    assert everywhere, "all four `+=` assigned at once"
    assert len({c.source for c in found}) == len(found)


@pytest.mark.parametrize("slug", SAMPLE)
def test_every_rewrite_is_a_program(slug: str, packs: dict[str, Pack]) -> None:
    """`python -m bench.diagnosis` asks all exercises."""
    assert rewrites_that_are_no_programs(packs[slug]) == []


def test_an_exception_is_no_evidence_of_an_edit() -> None:
    """It has many causes: only a mistake that the author names, and that raises wherever the submission does, is told."""
    exchange = Exchange("call", "f", (), {}, raised=Raised(0, "ask", "TypeError", "no number"))
    seen = Transcript(tuple(Trial(check, 1, RAISED, "", (exchange,)) for check in "ab"))
    prints: dict[str, tuple[Fingerprint, ...]]
    prints = {check: (trial.fingerprint,) for check, trial in zip("ab", seen.trials, strict=True)}
    edit = Prediction(("order",), "", "", frozenset("ab"), prints)
    named = Prediction(("no-numbers",), "", "", frozenset("ab"), prints, known=True)
    part = Prediction(("another",), "", "", frozenset("a"), {"a": prints["a"]}, known=True)
    endings: Endings = {"a": "raised", "b": "raised"}
    assert Dictionary((1,), (edit, part), ()).agreed(seen, endings) == []
    assert [entry for entry, _ in Dictionary((1,), (edit, named, part), ()).agreed(seen, endings)] == [named]


def test_a_run_of_some_checks_finds_a_mistake_that_fails_others_too() -> None:
    wrong = Trial("a", 1, FAILED, "", (Exchange("call", "f", (), {}, 1.5),))
    entry = Prediction(("sign",), "", "", frozenset("ab"), dict.fromkeys("ab", (wrong.fingerprint,)))
    known = Dictionary((1,), (entry,), ())
    assert known.matches(Transcript((wrong,)), {"a": "failed"}) == [(entry, ("a",))]
    assert known.matches(Transcript((wrong,)), {"a": "failed", "b": "passed"}) == []


def test_a_check_that_a_candidate_fails_only_at_times_does_not_speak_against_it() -> None:
    wrong = Trial("a", 1, FAILED, "", (Exchange("call", "f", (), {}, 1.5),))
    other = Trial("b", 1, FAILED, "", (Exchange("call", "f", (), {}, 2.5),))
    seen = Transcript((wrong, other))
    at_times = Prediction(("sign",), "", "", frozenset("ab"), {"a": (wrong.fingerprint,)})
    always = Prediction(("sign",), "", "", frozenset("ab"), dict.fromkeys("ab", (wrong.fingerprint,)))
    known = Dictionary((1,), (at_times, always), ())
    assert known.matches(seen, {"a": "failed", "b": "failed"}) == [(at_times, ("a",))]


def test_a_mistake_that_gives_the_same_answer_on_some_seeds_only_is_another_one() -> None:
    def trial(seed: int, answer: float) -> Trial:
        return Trial("a", seed, FAILED, "", (Exchange("call", "f", (), {}, answer),))

    predicted = tuple(trial(seed, 1.5).fingerprint for seed in (1, 2, 3))
    known = Dictionary((1, 2, 3), (Prediction(("sign",), "", "", frozenset("a"), {"a": predicted}),), ())
    same = Transcript(tuple(trial(seed, 1.5) for seed in (1, 2, 3)))
    nearly = Transcript((trial(1, 1.5), trial(2, 1.5), trial(3, 2.5)))
    assert len(known.matches(same, {"a": "failed"})) == 1
    assert known.matches(nearly, {"a": "failed"}) == []


def test_a_check_that_was_passed_by_chance_is_asked_again() -> None:
    def trial(check: str, answer: float) -> Trial:
        return Trial(check, 1, FAILED, "", (Exchange("call", "f", (), {}, answer),))

    seen, more = Transcript((trial("a", 1.5),)), trial("b", 2.5)
    entry = Prediction(("sign",), "", "", frozenset("ab"), {t.check: (t.fingerprint,) for t in (*seen.trials, more)})
    known = Dictionary((1,), (entry,), ())
    endings: Endings = {"a": "failed", "b": "passed"}
    assert known.in_doubt(seen, endings) == {"b"}
    assert known.in_doubt(Transcript((trial("a", 2.0),)), endings) == set(), "what it answers otherwise says enough"
    assert known.matches(Transcript((*seen.trials, more)), endings) == [(entry, ("a", "b"))]
    assert known.matches(Transcript((*seen.trials, trial("b", 3.5))), endings) == []
    assert known.matches(Transcript((*seen.trials, Trial("b", 1, PASSED, "", ()))), endings) == []


TURNS = """
asked = 0
def echo(x):
    global asked
    asked += 1
    return -1 if asked <= {right} else -2
"""


def test_what_is_named_on_one_seed_is_confirmed_on_the_others(
    judge: Judge, write_exercise: Callable[..., Path], tmp_path: Path
) -> None:
    """An author's wrong solution is told by all checks on the first seed, and by one check on the others."""
    wrong = {"wrong/minus-one.py": "def echo(x):\n    return -1\n", "wrong/silent.py": WRITTEN["wrong/silent.py"]}
    pack = packs_of.load(write_exercise(WRITTEN | wrong))
    known = prediction.learn(judge, pack, tmp_path)
    checks, seeds = len(pack.checks), len(known.seeds)

    def told(right: int) -> set[str]:
        source = TURNS.format(right=right).encode()
        found = explained(judge, pack, source, judge.grade(pack, b"def echo(x): return -1", 1), known)
        return {explanation.key for explanation in found if explanation.generator == "known"}

    assert told(checks * seeds) == {"minus-one"}
    assert told(checks + seeds - 1) == {"minus-one"}, "it was asked more than it had to be"
    assert told(checks + seeds - 2) == set(), "another answer on the last seed was not looked at"
    assert told(checks - 1) == set(), "another answer in the last check was not looked at"
