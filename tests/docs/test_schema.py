"""docs/report.md and docs/authoring.md list exactly the fields that the code has, in its order."""

from types import ModuleType
from typing import get_args

import msgspec
import pytest

from autograder.judge import pack, report
from autograder.judge.pack import Reworded
from autograder.library.management.commands import grade
from autograder.trace import model
from tests.docs.pages import first_column, read

STRUCTS: list[tuple[str, type[msgspec.Struct]]] = [
    ("report", report.Report),
    ("report", report.CheckResult),
    ("report", report.Counterexample),
    ("report", report.GradientOf),
    ("report", report.Detail),
    ("report", report.Shown),
    ("report", report.Stopped),
    ("report", report.StackLine),
    ("report", model.Trace),
    ("report", model.TraceGraph),
    ("report", model.TraceNode),
    ("report", model.Edge),
    ("report", model.Event),
    ("report", model.Terms),
    ("report", model.Term),
    ("authoring", pack.Settings),
    ("authoring", pack.EntryPoint),
    ("authoring", pack.LimitsTable),
    ("authoring", Reworded),
]


@pytest.mark.parametrize(("page", "struct"), STRUCTS, ids=[struct.__name__ for _, struct in STRUCTS])
def test_a_table_lists_the_fields_of_its_struct(page: str, struct: type[msgspec.Struct]) -> None:
    fields = [field.name for field in msgspec.structs.fields(struct)]
    assert first_column(read(page).section(struct.__name__)) == fields


@pytest.mark.parametrize("module", [report, model])
def test_every_struct_has_its_table(module: ModuleType) -> None:
    structs = {name for name, thing in vars(module).items() if isinstance(thing, type) and issubclass(thing, msgspec.Struct)}
    assert structs == {struct.__name__ for _, struct in STRUCTS if struct.__module__ == module.__name__}


def test_every_kind_of_event_is_explained() -> None:
    assert first_column(read("report").section("Kinds of events")) == list(get_args(model.EventKind))


def test_every_verdict_is_explained() -> None:
    assert first_column(read("report").section("Verdicts")) == list(get_args(report.Verdict))


def test_every_reason_is_explained() -> None:
    section = read("report").section("Reasons")
    assert first_column(section) == list(get_args(report.Reason))
    assert all(sentence.endswith(".") and advice for _, sentence, advice in section.rows[1:])


def test_the_keys_of_the_line_of_json_are_in_their_order() -> None:
    keys = ["file", "exercise", "version", *grade.JSON_FIELDS]
    assert first_column(read("report").section("The line of JSON")) == keys


def test_every_kind_and_profile_is_named() -> None:
    section = read("authoring").section("Settings")
    rows = {row[0].strip("`"): row[1] for row in section.rows}
    for field, literal in (("kind", pack.Kind), ("profile", pack.Profile)):
        assert [word for word in get_args(literal) if f"`{word}`" not in rows[field]] == []


def test_every_required_file_is_named() -> None:
    files = first_column(read("authoring").section("Files"))
    assert {*pack.PARTS, "starter.py", "solution.py", "wrong/<key>.py", "right/<name>.py"} == set(files)


def test_the_example_of_exercise_toml_is_valid() -> None:
    (block,) = (block for block in read("authoring").blocks if "example" in block.marks)
    assert msgspec.toml.decode(block.text, type=pack.Settings).profile == "numpy"
