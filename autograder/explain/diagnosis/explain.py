"""Combines the claims of all generators into at most two explanations, or reports that there is none."""

from collections.abc import Collection, Sequence

import msgspec

from autograder.explain.counterexample import compares_vjps, counterexample
from autograder.explain.diagnosis import generators, prediction
from autograder.explain.diagnosis.dictionary import Dictionary, Prediction, limit_of
from autograder.explain.diagnosis.evidence import MistakeClaim, gather
from autograder.explain.diagnosis.keys import key_of
from autograder.explain.diagnosis.transcript import FAILED, RAISED, Transcriber, Transcript, Trial
from autograder.explain.misconceptions import described
from autograder.judge import pack as packs
from autograder.judge.checks.student import Student
from autograder.judge.diagnosis import Declared, declared
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.judge.report import LIMITS, Counterexample, Endings, Report

SLOW_CHECKS = 3  # at most this many of them are asked
CHECKS_SEARCHED = 3  # for a counterexample
GENERATORS = ("known", "symptom", "dictionary", "engines", "edited-answers", "structural")
UNKNOWN = "No known mistake gives exactly these answers. Compare the numbers step by step."


class Explanation(msgspec.Struct, frozen=True):
    """What is said about a wrong submission. Only instructors see `note`, which may quote the reference."""

    key: str
    words: str
    checks: tuple[str, ...] = ()
    generator: str = "none"
    note: str = ""
    title: str = ""
    counterexample: Counterexample | None = None


def explain(replay: Replay, report: Report, known: Dictionary) -> tuple[Explanation, ...]:
    """At most two explanations, or one that says that no mistake is known; nothing if no answer is wrong. The unchanged
    starter only gets mistakes that the author put into it.

    Call this after the verdict. It asks the submission the failed checks again, with the seeds of the dictionary. Usually
    the first seed already identifies one of the author's wrong solutions, which the other seeds confirm in one check. The
    result depends on the answers, the endings of the report and the dictionary, but not on the load of the machine.
    """
    if not can_be_explained(report):
        return ()
    claims, failed = _found(replay, report.endings, known)
    chosen = choose(claims, failed, replay.pack)
    if report.starter:
        return tuple(explanation for explanation in chosen if explanation.generator == "known")
    return tuple(_with_counterexample(explanation, replay, report) for explanation in chosen)


def _with_counterexample(explanation: Explanation, replay: Replay, report: Report) -> Explanation:
    """The explanation with the smallest example of the mistake in the first check that has one, public checks first.

    A process that was asked hidden checks could disclose them in the example of a public one, so a new one is asked.
    """
    ids = set(_wrong(report)).intersection(explanation.checks or _wrong(report))  # not those that ran out of time
    explained = [check for check in replay.pack.checks if check.id in ids and compares_vjps(check)]
    if not explained:
        return explanation
    replay.close()
    if replay.session is None:
        return explanation
    student = Student(replay.session)
    searched = sorted(explained, key=lambda check: check.hidden)[:CHECKS_SEARCHED]
    examples = (counterexample(student, check, report.seed) for check in searched)
    return msgspec.structs.replace(explanation, counterexample=next((found for found in examples if found), None))


def _wrong(report: Report) -> list[str]:
    return [result.id for result in report.checks if result.ending == FAILED]


def _found(replay: Replay, endings: Endings, known: Dictionary) -> tuple[list[MistakeClaim], list[str]]:
    """Like `search`, but asks the submission no more than necessary."""
    pack = replay.pack
    asked = worth_asking(pack, endings)
    if not asked:
        return search(pack, Transcript(), endings, known)
    transcriber = Transcriber(replay)
    first = transcriber.transcribe(known.seeds[:1], asked, enough=_silent)
    claims, failed = _on_one_seed(first, endings, known, transcriber)
    if claims:
        return claims, failed
    again = [trial.check for trial in first.trials if not _silent(trial)]
    transcript = first.and_then(transcriber.transcribe(known.seeds[1:], again, enough=_silent))
    claims, failed = search(pack, transcript, endings, known)
    if not _named_by_author(claims, failed) and (doubtful := known.in_doubt(transcript, endings)):
        more = transcriber.transcribe(known.seeds, doubtful, enough=_silent)
        agreed = known.agreed(transcript.and_then(more), endings)
        claims += [_looked_up(entry, tuple(c for c in checks if c in failed)) for entry, checks in agreed]
    return claims, failed


def _on_one_seed(
    first: Transcript, endings: Endings, known: Dictionary, transcriber: Transcriber
) -> tuple[list[MistakeClaim], list[str]]:
    """The author's wrong solutions that account for everything with one seed, and for one of these checks with the others."""
    brief = known.brief
    wrong = list(gather(first, brief, Declared()).pairs)
    limit = limit_of(endings)
    failed = {*wrong, *([limit[0]] if limit else [])}
    agreed = [(entry, checks) for entry, checks in brief.agreed(first, endings) if failed <= set(checks)]
    if agreed and wrong:
        more = transcriber.transcribe(known.seeds[1:], wrong[:1], enough=_silent)
        agreed = [(entry, checks) for entry, checks in agreed if known.answers_alike(entry, wrong[0], more)]
    return [_looked_up(entry, checks) for entry, checks in agreed], sorted(failed)


def can_be_explained(report: Report) -> bool:
    """Whether there is a wrong answer, an exception or an exceeded limit to explain."""
    return report.verdict not in ("passed", "internal") and bool({FAILED, RAISED, *LIMITS} & set(report.endings.values()))


def prepare() -> None:
    """Does in advance what would delay the first explanation of a process: imports, and the code hash of dictionaries."""
    generators.prepare()
    prediction.code_hash()


def worth_asking(pack: Pack, endings: Endings) -> list[str]:
    """The checks that gave a wrong answer. Of checks with their own time limit, which are slow, only the first few."""
    wrong = [check for check in pack.checks if endings.get(check.id) in (FAILED, RAISED)]
    slow = [check for check in wrong if check.seconds is not None][SLOW_CHECKS:]
    return [check.id for check in wrong if check not in slow]


def _silent(trial: Trial) -> bool:
    """Whether no question was asked, which is the same with every seed."""
    return not trial.exchanges


def search(pack: Pack, transcript: Transcript, endings: Endings, known: Dictionary) -> tuple[list[MistakeClaim], list[str]]:
    """The claims of all generators, and the checks for which there is evidence."""
    evidence = gather(transcript, known, declared(pack))
    found = [_looked_up(entry, checks) for entry, checks in known.agreed(transcript, endings)]
    limit = limit_of(endings)
    failed = {*evidence.pairs, *([limit[0]] if limit else [])}
    if not _named_by_author(found, failed):
        found += generators.claims_of_all(evidence, found)
    return found, sorted(failed)


def _named_by_author(found: Sequence[MistakeClaim], failed: Collection[str]) -> bool:
    """Whether one of the author's wrong solutions accounts for everything."""
    return any(claim.generator == "known" and set(failed) <= set(claim.checks) for claim in found)


def _looked_up(entry: Prediction, checks: tuple[str, ...]) -> MistakeClaim:
    generator = "known" if entry.known else "dictionary"
    return MistakeClaim(entry.operators, checks, generator, entry.words, limited=entry.limit is not None)


def choose(claims: Sequence[MistakeClaim], failed: Collection[str], pack: Pack) -> tuple[Explanation, ...]:
    """The claim that accounts for most checks, then one for the rest."""
    vocabulary = {packs.misconception(name) for name in pack.wrong}
    left, chosen = set(failed), list[Explanation]()
    while left and len(chosen) < 2:
        possible = [c for c in claims if left & set(c.checks) and not (chosen and _may_be_an_effect(c))]
        if not possible:
            break
        best = min(possible, key=lambda claim: _rank(claim, left, vocabulary))
        key = key_of(best.operators[0], vocabulary)
        checks = tuple(check.id for check in pack.checks if check.id in best.checks)
        if chosen and key == chosen[0].key:  # the same mistake in other checks
            both = tuple(check.id for check in pack.checks if check.id in {*chosen[0].checks, *checks})
            chosen[0] = msgspec.structs.replace(chosen[0], checks=both)
        else:
            said = described(key, pack.settings.messages, limited=best.limited)
            chosen.append(Explanation(key, said.text, checks, best.generator, best.note, said.title))
        left -= set(best.checks)
        claims = [claim for claim in claims if claim is not best]
    return tuple(chosen) or (Explanation("", UNKNOWN),)


def _may_be_an_effect(claim: MistakeClaim) -> bool:
    """Whether a claim is only a constant factor, which the mistake named first can cause."""
    return claim.operators == ("constant",) and claim.generator == "structural"


def _rank(claim: MistakeClaim, left: set[str], vocabulary: Collection[str]) -> tuple[int, int, int, int]:
    known = key_of(claim.operators[0], vocabulary) in vocabulary
    return (-len(left & set(claim.checks)), len(claim.operators), not known, GENERATORS.index(claim.generator))
