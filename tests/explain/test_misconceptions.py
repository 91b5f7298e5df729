"""The catalogue of misconceptions: complete, in words that a student can read, and never a key as a title."""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from autograder.explain import mutants
from autograder.explain.diagnosis.edits import arrays, autograd, training, variants
from autograder.explain.diagnosis.generators import built_graphs, listed_graphs, relations, walks
from autograder.explain.diagnosis.generators.engines.accumulation import of_passes
from autograder.explain.diagnosis.generators.engines.changed_rules import changed_rules
from autograder.explain.diagnosis.generators.gradients import backward_edits, formulas
from autograder.explain.diagnosis.keys import NAMES, key_of
from autograder.explain.misconceptions import CATALOGUE, described, find, title_of
from autograder.explain.misconceptions.catalogue import AT_THE_LIMIT, OPERATIONS, OTHER_NAMES, SUBJECTS, UNTITLED
from autograder.judge.pack import Pack, Reworded
from tests.conftest import SAMPLE
from tests.generated import keys_without_words

ENGINE = frozenset({"+", "-", "*", "/", "**", "neg", "exp", "log", "tanh", "relu", "square"})
GRADIENTS: tuple[tuple[str, str, object], ...] = (
    *(*backward_edits.EDGES, *backward_edits.UPSTREAMS, *backward_edits.COPIES),
    *(*formulas.FORMULAS, *formulas.VALUES),
)


def operators() -> Iterator[str]:
    """What the generators name in their own tables; edits of a reference are asked of every exercise below."""
    yield from (rule.operator for rule in (*changed_rules(ENGINE), *of_passes()))
    yield from (operator for operator, _ in relations.RELATIONS)
    yield from (
        *built_graphs.CLAIMS,
        *listed_graphs.EDITS,
        "wrong-numbering",
        "edges-reversed",
        *walks.ORDERS,
        *walks.COUNTS,
    )
    yield from (operator for operator, _, _ in GRADIENTS)
    yield from (f"operation-{operation}" for operation in ENGINE)


def test_the_names_of_every_operator_are_described() -> None:
    names = {name for names in NAMES.values() for name in names}
    assert sorted(name for name in names if find(name) is None) == []


def test_what_a_generator_names_is_described_without_an_exercise() -> None:
    assert sorted({key_of(operator, ()) for operator in operators() if find(key_of(operator, ())) is None}) == []


def test_what_an_edit_is_called_is_described() -> None:
    """The names that the modules of edits write down: first in an `Edit`, first of the three parts of a `Program`."""
    written = set[str]()
    for module in (mutants, arrays, autograd, training, variants):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            match node:
                case ast.Call(func=ast.Name(id="Edit"), args=[name, *_]) | ast.Yield(value=ast.Tuple(elts=[name, _, _])):
                    names = [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]
                    written |= {str(part.value) for part in names if isinstance(part, ast.Constant)}
    assert {"overwrite", "transpose-by-reshape", "detach-saved"} <= written
    assert sorted(name for name in written if find(key_of(name, ())) is None) == []


@pytest.mark.parametrize("slug", SAMPLE)
def test_every_key_that_a_submission_to_an_exercise_can_get_is_described(slug: str, packs: dict[str, Pack]) -> None:
    """`python -m bench.diagnosis` asks all exercises."""
    assert keys_without_words(packs[slug]) == []


def test_a_key_is_in_one_subject_alone() -> None:
    count = Counter(key for subject in SUBJECTS for key in subject.MISCONCEPTIONS)
    assert [key for key, times in count.items() if times > 1 or key in OTHER_NAMES] == []
    assert set(OTHER_NAMES.values()) <= set(count)


@pytest.mark.parametrize("key", CATALOGUE)
def test_a_title_is_authored_and_an_explanation_is_sentences(key: str) -> None:
    said = CATALOGUE[key]
    assert said.title[0].isupper()
    assert said.title.lower() != key.replace("-", " "), "a title is no key in other letters"
    assert 3 <= len(said.title) <= 60
    assert not said.title.endswith(".")
    sentences = re.split(r"(?<=[.?])\s+(?=[A-Za-z])", said.text)
    assert said.text.endswith(".")
    assert 1 <= len(sentences) <= 4, sentences
    assert 60 <= len(said.text) <= 330
    assert not re.search(r"[`«»—]", said.text + said.title)


def test_titles_tell_misconceptions_apart() -> None:
    assert [title for title, times in Counter(said.title for said in CATALOGUE.values()).items() if times > 1] == []


def test_one_operation_is_called_by_its_name() -> None:
    assert title_of("operation-*") == "Mistake in one operation: multiplication"
    assert title_of("operation-tanh") == "Mistake in one operation: tanh"
    assert all("operation-" not in title_of(f"operation-{operation}") for operation in OPERATIONS)


def test_a_key_that_nobody_knows_is_no_title() -> None:
    assert title_of("some-old-key") == UNTITLED


def test_the_author_may_give_a_text_or_both() -> None:
    catalogue = CATALOGUE["wrong-sign"]
    text = described("wrong-sign", {"wrong-sign": "Look at the signs."})
    assert (text.title, text.text) == (catalogue.title, "Look at the signs.")
    title = described("wrong-sign", {"wrong-sign": Reworded(title="Plus for minus")})
    assert (title.title, title.text) == ("Plus for minus", catalogue.text)
    both = described("an-own-key", {"an-own-key": Reworded("Own title", "Own text.")})
    assert (both.title, both.text) == ("Own title", "Own text.")


def test_a_claim_by_a_limit_says_so_unless_the_author_speaks() -> None:
    assert described("quadratic-membership", {}, limited=True).text.startswith(AT_THE_LIMIT)
    assert described("quadratic-membership", {"quadratic-membership": "How long?"}, limited=True).text == "How long?"
