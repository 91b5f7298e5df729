"""Wrong solutions get their own key, right ones nothing, and what nobody knows gets no guess."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from autograder.explain.diagnosis import prediction
from autograder.explain.diagnosis.dictionary import Dictionary
from autograder.explain.diagnosis.edits import candidates
from autograder.explain.diagnosis.evidence import MistakeClaim
from autograder.explain.diagnosis.explain import choose
from autograder.explain.diagnosis.transcript import transcribe
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack, misconception
from autograder.prove.stored_proofs import wrong_endings
from bench import measure
from tests.conftest import EXERCISES
from tests.replays import explained

# one of each kind of question; `python -m bench.diagnosis` asks all
EXPLAINED = ("value-engine", "graph-walk", "vjp-unbroadcast", "fn-cubic")
FILES = {  # one for each mistake, without the further ones, which end in `~2`, `~3` and so on
    part: sorted(p for slug in EXPLAINED for p in EXERCISES.glob(f"*/{slug}/{part}/*.py") if "~" not in p.stem)
    for part in ("wrong", "right")
}
# no generator finds these mistakes: they have a name because an author wrote the file
NAMED_BY_AUTHORS = (
    ("fn-cubic", "formula-invalid-at-zero"),
    ("vjp-unbroadcast", "aligned-left"),
    ("vjp-unbroadcast", "forward-pass-per-entry"),  # its answers are right, only its time tells
    ("value-engine", "forward-pass-per-value"),  # the same
)
Known = Callable[[str], Dictionary]


def opened(path: Path, packs: dict[str, Pack]) -> tuple[Pack, bytes]:
    return packs[path.parent.parent.name], path.read_bytes()


@pytest.mark.parametrize(
    "path",
    [path for path in FILES["wrong"] if (path.parent.parent.name, path.stem) not in NAMED_BY_AUTHORS],
    ids=lambda path: f"{path.parent.parent.name}/{path.stem}",
)
def test_a_hand_written_wrong_solution_gets_its_own_key(
    path: Path, judge: Judge, packs: dict[str, Pack], known: Known
) -> None:
    """By the generators alone: the file itself is not in the dictionary."""
    pack, source = opened(path, packs)
    report = judge.grade(pack, source, 7)
    explanations = explained(judge, pack, source, report, known(pack.slug).edits())
    assert misconception(path.stem) in {explanation.key for explanation in explanations}, explanations
    assert len(explanations) <= 2
    for explanation in explanations:
        assert "`" not in explanation.words, "a student is never shown the reference"


@pytest.mark.parametrize(("slug", "name"), NAMED_BY_AUTHORS)
def test_a_mistake_that_only_its_author_describes_gets_its_key(
    slug: str, name: str, judge: Judge, packs: dict[str, Pack], known: Known
) -> None:
    (path,) = EXERCISES.glob(f"*/{slug}/wrong/{name}.py")
    pack, source = opened(path, packs)
    (explanation,) = explained(judge, pack, source, judge.grade(pack, source, 7), known(slug))
    assert explanation.key == name
    assert "`" not in explanation.words


def test_code_that_ran_out_of_time_is_not_asked_for_an_example(
    judge: Judge, packs: dict[str, Pack], known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take as long again, and the page would wait for it."""
    pack = packs["vjp-unbroadcast"]
    source = pack.wrong["forward-pass-per-entry"]
    report = judge.grade(pack, source, 7)
    asked: list[str] = []
    monkeypatch.setattr(
        sys.modules[choose.__module__], "counterexample", lambda _student, check, _seed: asked.append(check.id)
    )
    assert [explanation.key for explanation in explained(judge, pack, source, report, known(pack.slug))]
    assert (report.endings["cost"], asked) == ("late", [])


@pytest.mark.parametrize("path", FILES["right"], ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_a_right_solution_gets_no_explanation(path: Path, judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack, source = opened(path, packs)
    assert explained(judge, pack, source, judge.grade(pack, source, 7), known(pack.slug)) == ()


def test_what_no_known_mistake_explains_is_said_so(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack = packs["vjp-unbroadcast"]
    source = pack.solution.replace(b"unbroadcast(g * y, x.shape)", b"unbroadcast(np.sin(g) * y + 0.1 * x, x.shape)")
    assert source != pack.solution
    (only,) = explained(judge, pack, source, judge.grade(pack, source, 7), known(pack.slug))
    assert (only.key, only.checks, only.generator) == ("", (), "none")
    assert "No known mistake" in only.words


def test_answers_that_read_the_same_are_the_same_mistake(judge: Judge, packs: dict[str, Pack]) -> None:
    """The reference has no gradient where this solution has zeros: the exercise says that both are right."""
    pack = packs["detach-vs-nograd"]
    source = pack.right["own_stop_gradient"].replace(b"r + gamma * v_next", b"r")
    edits = [edit for edit in candidates(pack.solution.decode()) if "v_next" in edit.words]
    known = prediction.predict(judge, pack, edits)
    (found,) = explained(judge, pack, source, judge.grade(pack, source, 7), known)
    assert found.key == "missing-product-term"


def test_two_independent_mistakes_are_two_explanations(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack = packs["vjp-unbroadcast"]
    source = b"import numpy as np\n" + pack.wrong["missing-unbroadcast"].replace(
        b"g, g\n", b"-unbroadcast(g, x.shape), -unbroadcast(g, y.shape)\n"
    )
    found = explained(judge, pack, source, judge.grade(pack, source, 7), known(pack.slug))
    assert {e.key for e in found} == {"missing-unbroadcast", "wrong-sign"}


@pytest.mark.parametrize(
    ("slug", "source", "key"),
    [
        # the chain is kept, and nothing is called in vain
        ("history-leak", "history-leak/chain_kept_with_retain_graph.py", "state-keeps-chain"),
        ("history-leak", "history-leak/tensors_in_the_log.py", "tensors-in-log"),
        ("history-leak", "history-leak/detaches_in_place.py", "mutates-input"),
    ],
)
def test_an_effect_is_named_and_no_line_that_may_not_be_there(
    slug: str, source: str, key: str, judge: Judge, packs: dict[str, Pack], wrong_ones: Known
) -> None:
    pack, written = packs[slug], (measure.UNSEEN / source).read_bytes()
    (found,) = explained(judge, pack, written, judge.grade(pack, written, 7), wrong_ones(slug))
    assert found.key == key


@pytest.mark.parametrize(
    ("slug", "name", "key"),
    [
        ("detach-vs-nograd", "wrong/both-detached", "both-detached"),
        ("value-accumulate", "wrong/divides-shared", "divides-shared"),
        ("count-paths", "wrong/counts-nodes", "counts-nodes"),
        ("count-paths", "unseen/visits_each_node_once", "counts-whether"),
        ("count-paths", "unseen/walks_every_path", "exponential-revisit"),
        ("count-paths", "unseen/cache_as_default_argument", ""),
        ("accumulate-bug", "wrong/missing-zero-grad", "missing-zero-grad"),
        ("vjp-matmul", "unseen/left_not_summed", "missing-unbroadcast"),
        ("vjp-matmul", "unseen/right_not_summed", "missing-unbroadcast"),
        ("vjp-softmax-lse", "unseen/lse_of_shape_one", "keepdims-lost"),
        ("graph-walk", "unseen/edge_only_to_new_nodes", "drops-repeated-edges"),
        ("graph-walk", "unseen/edges_point_back", "edges-reversed"),
        ("topo-grad-fn", "unseen/by_sequence_number", "leaves-too-early"),
        ("hvp", "unseen/finite_difference", "finite-difference"),
        ("hvp", "unseen/unit_direction", "wrong-scale"),
        ("value-engine", "unseen/pushes_at_once", "missing-operand-gradient"),
        ("value-tanh-relu", "unseen/leaky", "missing-mask"),
        ("backward-twice", "unseen/keeps_old_grad", "missing-zero-grad"),
        ("topo-grad-fn", "unseen/consumers_counted_slots_subtracted", "consumers-miscounted"),
        ("topo-grad-fn", "unseen/one_edge_per_consumer", "consumers-miscounted"),
        ("value-topo", "unseen/consumers_counted_once", "consumers-miscounted"),
        ("value-topo", "unseen/moved_back_alone", "bfs-order"),
        ("value-topo", "unseen/waits_for_an_edge_too_many", "consumers-miscounted"),
        ("vjp-matmul", "unseen/outer_reshaped_for_batch", "reshape-for-transpose"),
        ("vjp-softmax-lse", "unseen/mask_as_large_negative", "finite-mask"),
        ("vjp-unbroadcast", "unseen/axes_matched_by_size", "aligned-left"),
        ("value-unary", "unseen/minus_loses_graph", "missing-operand-gradient"),
    ],
)
def test_a_mistake_is_told_its_name_and_no_other(
    slug: str, name: str, key: str, judge: Judge, packs: dict[str, Pack], wrong_ones: Known
) -> None:
    pack, (part, stem) = packs[slug], name.split("/")
    source = pack.wrong[stem] if part == "wrong" else (measure.UNSEEN / slug / f"{stem}.py").read_bytes()
    found = explained(judge, pack, source, judge.grade(pack, source, 7), wrong_ones(slug))
    assert [explanation.key for explanation in found] == [key]


@pytest.mark.parametrize(
    ("slug", "name", "key"),
    [
        ("value-engine", "pushes_at_once", "missing-operand-gradient"),
        ("fn-cubic", "upstream_summed", "upstream-reduced"),
    ],
)
def test_an_edit_that_happens_to_give_the_same_numbers_is_not_named(
    slug: str, name: str, key: str, judge: Judge, packs: dict[str, Pack], known: Known
) -> None:
    pack, source = packs[slug], (measure.UNSEEN / slug / f"{name}.py").read_bytes()
    found = explained(judge, pack, source, judge.grade(pack, source, 7), known(slug))
    assert [explanation.key for explanation in found] == [key]


def test_a_starter_that_holds_the_mistake_is_told_it(judge: Judge, packs: dict[str, Pack], tmp_path: Path) -> None:
    """All places of the one mistake are one explanation."""
    pack = packs["accumulate-bug"]
    known = prediction.load(judge, pack, tmp_path, proved=wrong_endings)
    (found,) = explained(judge, pack, pack.starter, judge.grade(pack, pack.starter, 7), known)
    assert found.key == "missing-zero-grad"
    assert len(found.checks) == 5


def test_of_a_starter_that_waits_for_code_no_mistake_is_guessed(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack = packs["value-engine"]
    report = judge.grade(pack, pack.starter, 7)
    assert report.starter
    assert explained(judge, pack, pack.starter, report, known(pack.slug)) == ()


def test_a_limit_goes_before_an_exception_of_a_later_check(packs: dict[str, Pack]) -> None:
    """Every path is walked by recursion: its depth is not what makes it slow."""
    claims = [
        MistakeClaim(("recursion-limit",), ("deep",), "structural"),
        MistakeClaim(("exponential-revisit",), ("several-leaves",), "known", limited=True),
    ]
    told = choose(claims, ["several-leaves", "deep"], packs["count-paths"])
    assert [explanation.key for explanation in told] == ["exponential-revisit", "recursion-limit"]


def test_a_mistake_that_only_some_inputs_show_is_named_whichever_were_drawn(
    judge: Judge, packs: dict[str, Pack], wrong_ones: Known
) -> None:
    """With some seeds it passes a check that it fails with others."""
    pack = packs["vjp-softmax-lse"]
    known = wrong_ones(pack.slug)
    source, failed = pack.wrong["global-max-shift"], set()
    for seed in range(1, 7):
        report = judge.grade(pack, source, seed)
        failed.add(frozenset(check for check, ending in report.endings.items() if ending == "failed"))
        told = explained(judge, pack, source, report, known)
        assert [each.key for each in told] == ["global-max-shift"], seed
        assert set(told[0].checks) <= {check for check, ending in report.endings.items() if ending == "failed"}
    assert len(failed) > 1


def test_a_factor_that_may_be_an_effect_is_no_second_explanation(packs: dict[str, Pack]) -> None:
    named = MistakeClaim(("upstream-reduced",), ("gradient", "first-order"), "edited-answers")
    factor = MistakeClaim(("constant",), ("third-order",), "structural")
    sign = MistakeClaim(("sign",), ("third-order",), "structural")
    failed = ["gradient", "first-order", "third-order"]
    told = choose([named, factor], failed, packs["fn-cubic"])
    assert [explanation.key for explanation in told] == ["upstream-reduced"]
    told = choose([named, factor, sign], failed, packs["fn-cubic"])
    assert [explanation.key for explanation in told] == ["upstream-reduced", "wrong-sign"]
    assert [explanation.key for explanation in choose([factor], failed, packs["fn-cubic"])] == ["wrong-constant"]


def test_an_author_may_reword_a_key(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack = packs["value-engine"]
    settings = msgspec.structs.replace(pack.settings, messages={"missing-upstream": "Where did out.grad go?"})
    reworded = dataclasses.replace(pack, settings=settings)
    source = pack.wrong["missing-upstream"]
    (found,) = explained(judge, reworded, source, judge.grade(pack, source, 7), known("value-engine"))
    assert found.words == "Where did out.grad go?"


def test_a_submission_that_cannot_be_asked_gets_no_explanation(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    pack = packs["value-engine"]
    for source in (b"", b"def f(:\n", b"x = 1\n"):
        assert explained(judge, pack, source, judge.grade(pack, source, 7), known(pack.slug)) == ()


def test_an_endless_loop_does_not_hold_the_diagnosis_up(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    """It is ended when it has computed for some seconds, and what it answered before is looked at."""
    pack = packs["value-engine"]
    source = pack.solution.replace(
        b"other.grad += out.grad", b"other.grad += 2 * out.grad\n            while other.grad > 9: pass"
    )
    report = judge.grade(pack, pack.wrong["missing-upstream"], 7)
    failed = [check for check, ending in report.endings.items() if ending == "failed"]
    transcript = transcribe(judge, pack, source, known(pack.slug).seeds, checks=failed)
    assert [trial.ending for trial in transcript.trials][-1] == "ended"
    assert transcript.trouble == "timeout-cpu"


def test_held_out_mutants_are_explained_truly(judge: Judge, packs: dict[str, Pack], known: Known) -> None:
    """A sample; `python -m bench.diagnosis` has the figures."""
    results = []
    for slug in ("value-engine", "fn-cubic", "vjp-unbroadcast"):
        for case in measure.held_out(packs[slug], 8):
            report = judge.grade(packs[slug], case.source, measure.SEED)
            if measure.gives_wrong_answers(report):
                results.append(measure.diagnose(judge, case, known(slug), report))
                assert measure.untrue(judge, results[-1], known(slug)) == [], case.name
    assert sum(result.explained for result in results) > 0.61 * len(results) > 0
