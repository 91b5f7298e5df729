"""The figures of the diagnosis: hand-written wrong solutions, wrong versions of other right solutions, claims that are
not true.

The files of `wrong/` are in the dictionaries. Those in `variants/` make the same mistakes in other words: the diagnosis names
them without knowing them, which is why exercises do without them. Those in `unseen/` were written from the statements alone,
before anybody looked at what the diagnosis can find; their second line has the keys that were found to be true of them when
the answers were read. Held-out mutants are edits of the exercise's `right/` solutions: other code than the reference, from
which everything the diagnosis knows is made.
"""

import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder.explain import mutants
from autograder.explain.diagnosis import Explanation
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.explain.diagnosis.explain import choose, search
from autograder.explain.diagnosis.fingerprint import same
from autograder.explain.diagnosis.keys import finer, key_of
from autograder.explain.diagnosis.prediction import dictionary_of
from autograder.explain.diagnosis.transcript import FAILED, transcribe
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, misconception
from autograder.judge.report import Report
from tests.replays import explained

SEED = 7
FRESH = (404, 505, 606)
UNSEEN = Path(__file__).parent / "unseen"
VARIANTS = Path(__file__).parent / "variants"
HEADER = re.compile(r"# (Held out\. )?Mistake: .+\n(?:# True: (.+)\n)?")
BUSY = 4


@dataclass(frozen=True)
class Case:
    """One wrong solution with the keys that would be right for it."""

    pack: Pack
    name: str
    source: bytes
    keys: frozenset[str]


@dataclass(frozen=True)
class Result:
    case: Case
    explanations: tuple[Explanation, ...]
    seconds: float
    cpu_seconds: float  # of the judge, without the sandbox

    @property
    def explained(self) -> bool:
        return any(e.key for e in self.explanations)

    @property
    def named(self) -> bool:
        return any(e.key in self.case.keys for e in self.explanations)

    @property
    def false(self) -> list[str]:
        return [e.key for e in self.explanations if e.key and e.key not in self.case.keys]


def hand_written(packs: Mapping[str, Pack]) -> Iterator[Case]:
    for pack in packs.values():
        for name, source in pack.wrong.items():
            yield Case(pack, name, source, frozenset({misconception(name)}))


def variants(packs: Mapping[str, Pack]) -> Iterator[Case]:
    for pack in packs.values():
        for path in variants_of(pack):
            yield Case(pack, path.stem, path.read_bytes(), frozenset({misconception(path.stem)}))


def variants_of(pack: Pack) -> list[Path]:
    return sorted((VARIANTS / pack.slug).glob("*.py"))


def unseen(packs: Mapping[str, Pack], *, held_out: bool) -> Iterator[Case]:
    """Wrong solutions from `unseen/`: those that were looked at afterwards, or those that nothing was changed for."""
    for pack in packs.values():
        for path in sorted((UNSEEN / pack.slug).glob("*.py")):
            header = HEADER.match(path.read_text())
            assert header is not None, f"{path} does not say which mistake it makes"
            if bool(header[1]) == held_out:
                yield Case(pack, path.stem, path.read_bytes(), frozenset((header[2] or "").split(", ")) - {""})


@contextmanager
def busy_processes() -> Iterator[None]:
    """The machine has something else to do."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def held_out(pack: Pack, count: int) -> list[Case]:
    """Mutants of the right solutions, in a random order that is always the same."""
    vocabulary = {misconception(name) for name in pack.wrong}
    cases = [
        Case(pack, f"{name}: {m.words}", m.source.encode(), frozenset({key_of(finer(m.operator, m.words), vocabulary)}))
        for name, source in pack.right.items()
        for m in mutants.generate(source.decode())
    ]
    random.Random(1).shuffle(cases)
    return cases[:count]


def gives_wrong_answers(report: Report) -> bool:
    """Wrong by its answers: not right, not ended by a limit, and not merely raising whatever it is asked."""
    if report.verdict not in ("failed", "partial"):
        return False
    failed = [check for check in report.checks if not check.passed]
    return not all(check.message.startswith("Your code raised") for check in failed)


def diagnose(judge: Judge, case: Case, dictionary: Dictionary, report: Report | None = None) -> Result:
    report = report or judge.grade(case.pack, case.source, SEED)
    start, cpu = time.perf_counter(), time.process_time()
    explanations = explained(judge, case.pack, case.source, report, dictionary)
    return Result(case, explanations, time.perf_counter() - start, time.process_time() - cpu)


def untrue(judge: Judge, result: Result, dictionary: Dictionary) -> list[Explanation]:
    """Claims under another name than the edit's own that do not stand on fresh seeds either.

    Two edits often give the same numbers: then both names are true. So a claim counts as wrong when, on seeds that the
    dictionary has never seen, a program that it names gives other answers, or (for a claim without a program) the
    diagnosis says something else.
    """
    others = [e for e in result.explanations if e.key and e.key not in result.case.keys]
    return [e for e in others if not _stands(judge, result.case, e, dictionary)]


def _stands(judge: Judge, case: Case, claim: Explanation, dictionary: Dictionary) -> bool:
    if claim.generator in ("known", "dictionary"):
        named = [e.source.encode() for e in dictionary.entries if e.words == claim.note]
        return any(_alike(judge, case, claim.checks, source) for source in named)
    fresh = dictionary_of(judge, case.pack, [], FRESH)
    endings = judge.grade(case.pack, case.source, FRESH[0]).endings
    transcript = transcribe(judge, case.pack, case.source, FRESH, checks=claim.checks)
    again = choose(*search(case.pack, transcript, endings, fresh), case.pack)
    return claim.key in {e.key for e in again}


def _alike(judge: Judge, case: Case, checks: tuple[str, ...], source: bytes) -> bool:
    """Both programs give the same answers in these checks wherever one of them fails."""
    given = transcribe(judge, case.pack, case.source, FRESH, checks=checks)
    named = transcribe(judge, case.pack, source, FRESH, checks=checks)
    pairs = [(a, b) for a, b in zip(given.trials, named.trials, strict=False) if FAILED in (a.ending, b.ending)]
    return len(given.trials) == len(named.trials) and all(same(a.fingerprint, b.fingerprint) for a, b in pairs)
