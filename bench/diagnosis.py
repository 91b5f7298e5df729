"""`python -m bench.diagnosis [N [SLUG...]]`: how much of what is wrong is explained, and how often wrongly.

N held-out mutants are tried for each exercise (default 40). The dictionaries are made first, which takes a few minutes.
"""

import sys
from collections.abc import Callable
from statistics import median

from autograder.explain.batch import rehearse
from autograder.explain.diagnosis import prediction
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import LIMITS
from autograder.prove.stored_proofs import wrong_endings
from bench import measure
from bench.engine import computed, row
from sandbox.backends.bubblewrap import Bubblewrap
from tests.conftest import EXERCISES, SLUGS
from tests.generated import (
    blind_spots_that_are_mistakes,
    keys_without_words,
    mutants_that_are_no_programs,
    rewrites_that_are_no_programs,
)

HELD_OUT = 40
AGAIN = 20
DEAR = ("value-engine", "fn-cubic", "vjp-matmul")


def main(count: int = HELD_OUT, slugs: tuple[str, ...] = SLUGS) -> None:
    packs = {slug: pack.load(pack.find(EXERCISES, slug)) for slug in slugs}
    print(f"{'diagnosis':<66} {'measured':>18} {'must reach':>16}")
    generated(packs)
    with Judge(Bubblewrap()) as judge:
        known = {}
        for slug, exercise in packs.items():
            rehearse(judge, exercise)
            known[slug] = prediction.learn(judge, exercise, proved=wrong_endings)
        warm(judge, packs, known)
        told = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.hand_written(packs)]
        named = sum(result.named for result in told)
        row(f"hand-written wrong solutions told their own name ({len(told)})", f"{named}", "all", named == len(told))
        told += variants(judge, packs, known)
        generators = {slug: dictionary.edits() for slug, dictionary in known.items()}
        results = [*told, *hand_written(judge, packs, generators)]
        for held in (False, True):
            results += unseen(judge, packs, known, held=held)
        dear(packs, known)
        steady(judge, packs, known)
        results += held_out(judge, packs, generators, count)
    for what, times in (
        ("", [result.seconds for result in results]),
        ("computing of the judge for ", [result.cpu_seconds for result in results]),
    ):
        row(f"{what}a diagnosis, median of {len(times)}", f"{1000 * median(times):.0f} ms", "-", True)
        row(f"{what}the longest", f"{1000 * max(times):.0f} ms", "-", True)


def generated(packs: dict[str, Pack]) -> None:
    """What the tests ask of a sample, asked of all exercises."""
    for what, wrong_ones in (
        ("mutants that are no programs", mutants_that_are_no_programs),
        ("rewrites that are no programs", rewrites_that_are_no_programs),
        ("blind spots that the diagnosis looks for", blind_spots_that_are_mistakes),
        ("keys without a title or a text", keys_without_words),
    ):
        found = [f"{slug}: {words}" for slug, exercise in packs.items() for words in wrong_ones(exercise)]
        for line in found:
            print(f"  {what}: {line}", flush=True)
        row(f"{what}, over {len(packs)} exercises", f"{len(found)}", "0", not found)


def dear(packs: dict[str, Pack], known: dict[str, Dictionary]) -> None:
    """What a wrong submission costs with its explanation, against the solution: computing of judge and sandbox."""
    for slug in DEAR:
        if slug not in packs:
            continue
        exercise = packs[slug]
        with Judge(Bubblewrap()) as judge:  # of which no zygote is replaced meanwhile, and its computing forgotten
            every = list(measure.hand_written({slug: exercise}))
            cases = [c for c in every if not {*LIMITS} & {*judge.grade(exercise, c.source, 1).endings.values()}]
            right = _computing(lambda n: judge.grade(exercise, exercise.solution, n), 3 * len(cases))
            wrong = _computing(lambda n: measure.diagnose(judge, cases[n % len(cases)], known[slug]), 3 * len(cases))
        ratio = wrong / right
        row(f"{slug}: a wrong submission against the solution", f"{ratio:.1f} x", "at most 2 x", ratio <= 2)


def _computing(work: Callable[[int], object], times: int) -> float:
    begun = computed()
    for n in range(times):
        work(n)
    return computed() - begun


def variants(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> list[measure.Result]:
    results = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.variants(packs)]
    for result in results:
        if not result.named:
            print(f"  {result.case.pack.slug}/{result.case.name}: {', '.join(result.false) or 'nothing'}", flush=True)
    named = sum(result.named for result in results)
    row(f"variants of mistakes told the name of the mistake ({len(results)})", f"{named}", "all", named == len(results))
    return results


def unseen(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary], *, held: bool) -> list[measure.Result]:
    results = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.unseen(packs, held_out=held)]
    what = "held-out hand-written wrong solutions named" if held else "unseen hand-written wrong solutions named"
    named, false = sum(r.named for r in results), [(r, key) for r in results for key in r.false]
    for result in results:
        if not result.named:
            print(f"  {result.case.pack.slug}/{result.case.name}: {', '.join(result.false) or 'nothing'}", flush=True)
    share, wrong = named / max(1, len(results)), len(false) / max(1, len(results))
    row(f"{what}, of {len(results)}", f"{100 * share:.0f}%", "over 95%", share > 0.95)
    row("  named wrongly", f"{100 * wrong:.1f}%", "under 1%", wrong < 0.01)
    return results


def steady(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> None:
    """Every time a grading of its own, on a seed of its own, as when somebody hands the same file in again."""
    cases = [case for case in measure.hand_written(packs) if case.name == sorted(case.pack.wrong)[0]]
    same = 0
    with measure.busy_processes():
        for case in cases:
            told = set()
            for seed in range(AGAIN):
                report = judge.grade(case.pack, case.source, seed)
                told.add(tuple(e.key for e in measure.diagnose(judge, case, known[case.pack.slug], report).explanations))
            same += len(told) == 1
            if len(told) > 1:
                print(f"  {case.pack.slug}/{case.name}: {told}", flush=True)
    what = f"the same explanation {AGAIN} times beside {measure.BUSY} busy processes, of {len(cases)}"
    row(what, f"{same}", "all", same == len(cases))


def warm(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> None:
    """A worker has diagnosed something before."""
    for case in measure.hand_written(packs):
        if case.name == sorted(case.pack.wrong)[0]:
            measure.diagnose(judge, case, known[case.pack.slug])


def hand_written(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> list[measure.Result]:
    results = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.hand_written(packs)]
    named = sum(result.named for result in results)
    for result in results:
        if not result.named:
            told = ", ".join(e.key or "nothing" for e in result.explanations)
            print(f"  {result.case.pack.slug}/{result.case.name}: {told}", flush=True)
    row(f"  by the generators alone, without the files of wrong/ ({len(results)})", f"{named}", "all", named == len(results))
    claims = [e.key not in r.case.keys for r in results for e in r.explanations if e.key]
    row(f"claims under another key, of {len(claims)}", f"{100 * sum(claims) / max(1, len(claims)):.1f}%", "-", True)
    return results


def held_out(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary], count: int) -> list[measure.Result]:
    results: list[measure.Result] = []
    false, claims = 0, 0
    for slug, exercise in packs.items():
        own, own_false = [], 0
        for case in measure.held_out(exercise, count):
            report = judge.grade(exercise, case.source, measure.SEED)
            if measure.gives_wrong_answers(report):
                result = measure.diagnose(judge, case, known[slug], report)
                own.append(result)
                claims += sum(bool(e.key) for e in result.explanations)
                for claim in measure.untrue(judge, result, known[slug]):
                    own_false += 1
                    print(f"  untrue: {slug} {case.name}: {claim.key} ({claim.generator})", flush=True)
        print(f"  {slug}: {sum(r.explained for r in own)} of {len(own)} explained, {own_false} untrue", flush=True)
        results += own
        false += own_false
    explained, named = sum(r.explained for r in results), sum(r.named for r in results)
    share = explained / max(1, len(results))
    row(f"held-out mutants explained, of {len(results)}", f"{100 * share:.0f}%", "over 61%", share > 0.61)
    row("  under the name of the edit that was made", f"{100 * named / max(1, len(results)):.0f}%", "-", True)
    wrong = false / max(1, claims)
    row(f"claims that are not true, of {claims}", f"{100 * wrong:.1f}%", "under 1%", wrong < 0.01)
    return results


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HELD_OUT, tuple(sys.argv[2:]) or SLUGS)
