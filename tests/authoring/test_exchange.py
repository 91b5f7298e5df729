"""Drafts leave and enter as zips and in step with folders, byte for byte; nothing is overwritten that somebody has changed."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from autograder.authoring import drafts, exchange
from autograder.authoring.exchange import STATE, compared
from autograder.authoring.models import Draft
from autograder.courses.errors import AtField, Refused
from autograder.courses.rights import OPERATOR
from tests.authoring.conftest import Team

pytestmark = pytest.mark.django_db
STRANGE = "Umlauts: äöü, no newline at the end,\r\nand Windows line ends.\r\n\tTabs"


def archive(files: dict[str, bytes | str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return data.getvalue()


def put(draft: Draft, path: str, text: str) -> None:
    drafts.change_files(draft, {path: text}, by=OPERATOR)


def bytes_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != STATE)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_round_trip_through_a_zip_changes_no_byte(draft: Draft, team: Team) -> None:
    put(draft, "statement.md", STRANGE)
    data = exchange.zipped(draft)
    copied = exchange.import_zip(team.course, data, "copied", by=team.owner)
    assert drafts.texts_of(copied) == drafts.texts_of(draft)
    assert exchange.zipped(draft) == data, "the same files give the same bytes"
    assert copied.title == 'Softplus, "stable"'


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"x/checks.py": "1"}, "needs exercise.toml"),
        ({"exercise.toml": "", "statement.md": "", "checks.py": b"\xff\xfe"}, "could not be read as text"),
        ({"exercise.toml": "", "statement.md": "a\0b", "checks.py": ""}, "NUL"),
        ({"exercise.toml": "", "statement.md": "", "checks.py": "", "tests/conftest.py": ""}, "no place"),
        ({"../exercise.toml": ""}, "leads out"),
        ({"/etc/checks.py": ""}, "leads out"),
        ({"exercise.toml": "", "statement.md": "", "checks.py": "", "wrong/a.py": "", "wrong/A.py": ""}, "already"),
        ({}, "needs exercise.toml"),
    ],
)
def test_a_zip_that_is_no_exercise_is_refused_with_its_reason(files: dict[str, bytes | str], said: str, team: Team) -> None:
    with pytest.raises(AtField, match=said) as refused:
        exchange.import_zip(team.course, archive(files), "new", by=team.owner)
    assert refused.value.field == "archive" and not Draft.objects.filter(slug="new").exists()


def test_a_zip_that_unpacks_to_much_is_not_unpacked(team: Team) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for n in range(40):
            made.writestr(f"wrong/w{n}.py", b"#" * 1_000_000)
    for sent in (data.getvalue(), b"PK\x03\x04 no zip", archive({"checks.py": "x"})[:-3]):
        with pytest.raises(AtField):
            exchange.files_in(sent)


def test_a_folder_and_a_draft_are_kept_in_step(draft: Draft, team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "softplus"

    def sync() -> exchange.Sync:
        return exchange.sync(folder, team.course, by=OPERATOR)

    assert set(sync().to_folder) == set(drafts.texts_of(draft)), "a new folder receives everything"
    assert {path: text.encode() for path, text in drafts.texts_of(draft).items()} == bytes_in(folder)
    assert sync() == exchange.Sync()

    (folder / "statement.md").write_bytes(STRANGE.encode())
    (folder / "wrong" / "other.py").write_text("x = 1\n")
    put(draft, "checks.py", "# changed on the site\n")
    drafts.add(draft, "right/third.py", "y = 2\n", by=team.owner)
    found = sync()
    assert set(found.to_draft) == {"statement.md", "wrong/other.py"}
    assert set(found.to_folder) == {"checks.py", "right/third.py"}
    assert drafts.texts_of(draft)["statement.md"] == STRANGE
    assert {path: text.encode() for path, text in drafts.texts_of(draft).items()} == bytes_in(folder)

    (folder / "wrong" / "other.py").unlink()
    drafts.change_files(draft, {"right/third.py": None}, by=team.owner)
    sync()
    assert not {"wrong/other.py", "right/third.py"} & {*drafts.texts_of(draft), *bytes_in(folder)}


def test_what_both_sides_changed_is_left_alone_until_somebody_decides(draft: Draft, team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "softplus"
    exchange.sync(folder, team.course, by=OPERATOR)
    (folder / "checks.py").write_text("# mine\n")
    put(draft, "checks.py", "# theirs\n")
    for _ in range(2):
        found = exchange.sync(folder, team.course, by=OPERATOR)
        assert found.conflicts == ["checks.py"] and not found.to_draft and not found.to_folder
    assert drafts.texts_of(draft)["checks.py"] == "# theirs\n" and (folder / "checks.py").read_text() == "# mine\n"
    exchange.sync(folder, team.course, "folder", by=OPERATOR)
    assert drafts.texts_of(draft)["checks.py"] == "# mine\n"
    assert exchange.sync(folder, team.course, by=OPERATOR) == exchange.Sync()


def test_a_clone_that_was_never_in_step_overwrites_nothing(draft: Draft, team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "softplus"
    exchange.sync(folder, team.course, by=OPERATOR)
    (folder / STATE).unlink()
    put(draft, "statement.md", "Newer.")
    assert exchange.sync(folder, team.course, by=OPERATOR).conflicts == ["statement.md"]
    (folder / STATE).write_text("not JSON")
    assert exchange.sync(folder, team.course, by=OPERATOR).conflicts == ["statement.md"]


def test_a_folder_without_a_draft_becomes_one(team: Team, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="neither a folder"):
        exchange.sync(tmp_path / "new", team.course, by=OPERATOR)
    folder = tmp_path / "new"
    folder.mkdir()
    for name, text in (("exercise.toml", 'title = "New"\n'), ("statement.md", "Text.\n"), ("checks.py", "")):
        (folder / name).write_text(text)
    exchange.sync(folder, team.course, by=OPERATOR)
    made = Draft.objects.get(slug="new")
    assert made.title == "New" and json.loads((folder / STATE).read_text()).keys() == drafts.texts_of(made).keys()


@pytest.mark.parametrize(
    ("folder", "draft", "before", "where"),
    [
        ("a", "a", "", ""),
        ("b", "a", "a", "to_draft"),
        ("a", "b", "a", "to_folder"),
        ("b", "c", "a", "conflicts"),
        (None, "a", "a", "to_draft"),
        ("a", None, "a", "to_folder"),
        (None, "b", "a", "conflicts"),
        ("b", None, "a", "conflicts"),
        ("a", "b", "", "conflicts"),
        ("a", None, "", "to_draft"),
        (None, "a", "", "to_folder"),
    ],
)
def test_three_versions_decide(folder: str | None, draft: str | None, before: str, where: str) -> None:
    known = {"x": exchange._hash(before)} if before else {}
    found = compared({"x": folder} if folder else {}, {"x": draft} if draft else {}, known)
    assert [name for name in ("to_draft", "to_folder", "conflicts") if getattr(found, name)] == [where] * bool(where)
