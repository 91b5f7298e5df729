"""`python -m tests.benchmarks.diagnosis [N [SLUG...]]`: how much of what is wrong is explained, and how often wrongly.

N held-out mutants are tried for each exercise (default 40). The dictionaries are made first, which takes a few minutes.
"""

import sys
from statistics import median

from autograder.judge import pack
from autograder.judge.batch import rehearse
from autograder.judge.diagnosis import prediction
from autograder.judge.diagnosis.dictionary import Dictionary
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from sandbox.backends.bubblewrap import Bubblewrap
from tests.benchmarks.engine import row
from tests.conftest import EXERCISES, SLUGS
from tests.judge.diagnosis import measure

HELD_OUT = 40


def main(count: int = HELD_OUT, slugs: tuple[str, ...] = SLUGS) -> None:
    packs = {slug: pack.load(pack.find(EXERCISES, slug)) for slug in slugs}
    print(f"{'diagnosis':<66} {'measured':>18} {'must reach':>16}")
    with Judge(Bubblewrap()) as judge:
        known = {}
        for slug, exercise in packs.items():
            rehearse(judge, exercise)
            known[slug] = prediction.learn(judge, exercise)
        warm(judge, packs, known)
        told = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.hand_written(packs)]
        named = sum(result.named for result in told)
        row(f"hand-written wrong solutions told their own name ({len(told)})", f"{named}", "all", named == len(told))
        generators = {slug: dictionary.edits() for slug, dictionary in known.items()}
        seconds = [result.seconds for result in told]
        seconds += hand_written(judge, packs, generators)
        seconds += held_out(judge, packs, generators, count)
    if max(seconds) > 0.25:
        print(f"  {sum(s > 0.25 for s in seconds)} of {len(seconds)} took more than 250 ms")
    row("median time of a diagnosis", f"{1000 * median(seconds):.0f} ms", "-", True)
    row("longest diagnosis", f"{1000 * max(seconds):.0f} ms", "at most 250 ms", max(seconds) <= 0.25)


def warm(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> None:
    """A worker has diagnosed something before."""
    for case in measure.hand_written(packs):
        if case.name == sorted(case.pack.wrong)[0]:
            measure.diagnose(judge, case, known[case.pack.slug])


def hand_written(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary]) -> list[float]:
    results = [measure.diagnose(judge, case, known[case.pack.slug]) for case in measure.hand_written(packs)]
    named = sum(result.named for result in results)
    for result in results:
        if result.seconds > 0.25:
            print(f"  {result.case.pack.slug}/{result.case.name}: {1000 * result.seconds:.0f} ms", flush=True)
        if not result.named:
            told = ", ".join(e.key or "nothing" for e in result.explanations)
            print(f"  {result.case.pack.slug}/{result.case.name}: {told}", flush=True)
    row(f"  by the generators alone, without the files of wrong/ ({len(results)})", f"{named}", "all", named == len(results))
    claims = [e.key not in r.case.keys for r in results for e in r.explanations if e.key]
    row(f"claims under another key, of {len(claims)}", f"{100 * sum(claims) / max(1, len(claims)):.1f} %", "-", True)
    return [result.seconds for result in results]


def held_out(judge: Judge, packs: dict[str, Pack], known: dict[str, Dictionary], count: int) -> list[float]:
    results, false, claims = [], 0, 0
    for slug, exercise in packs.items():
        own, own_false = [], 0
        for case in measure.held_out(exercise, count):
            report = judge.grade(exercise, case.source, measure.SEED)
            if measure.gives_wrong_answers(report):
                result = measure.diagnose(judge, case, known[slug], report)
                own.append(result)
                if result.seconds > 0.25:
                    print(f"  {slug} {case.name}: {1000 * result.seconds:.0f} ms", flush=True)
                claims += sum(bool(e.key) for e in result.explanations)
                for claim in measure.untrue(judge, result, known[slug]):
                    own_false += 1
                    print(f"  untrue: {slug} {case.name}: {claim.key} ({claim.generator})", flush=True)
        print(f"  {slug}: {sum(r.explained for r in own)} of {len(own)} explained, {own_false} untrue", flush=True)
        results += own
        false += own_false
    explained, named = sum(r.explained for r in results), sum(r.named for r in results)
    share = explained / max(1, len(results))
    row(f"held-out mutants explained, of {len(results)}", f"{100 * share:.0f} %", "over 61 %", share > 0.61)
    row("  under the name of the edit that was made", f"{100 * named / max(1, len(results)):.0f} %", "-", True)
    wrong = false / max(1, claims)
    row(f"claims that are not true, of {claims}", f"{100 * wrong:.1f} %", "under 1 %", wrong < 0.01)
    return [result.seconds for result in results]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else HELD_OUT, tuple(sys.argv[2:]) or SLUGS)
