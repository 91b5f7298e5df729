"""What somebody sends becomes a source, or is refused with a sentence; nothing is written to disk."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.judge.files import FilesError, FileSet, join, split
from autograder.library.uploads import MAX_BYTES, MAX_ZIP_BYTES, SentFile, from_path, source_of, unzip, zipped

ENGINE, OPS = b"from ops import add\n", b"def add(a, b):\n    return a + b\n"
WANTED = FileSet(
    "chain/engine.py",
    ("chain/engine.py", "chain/ops.py"),
    {"chain/shape.py": b"given\n"},
    {"chain/audit.py": b""},
    {"chain/words.py": b""},
)


def archive(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return data.getvalue()


LONG = {"chain/engine.py": b"x" * 200_000, "chain/ops.py": b"x" * 200_000}
BOTH = {"chain/engine.py": ENGINE, "chain/ops.py": OPS}


@pytest.mark.parametrize(
    "names",
    [
        ("chain/engine.py", "chain/ops.py"),
        ("homework/chain/engine.py", "homework/chain/ops.py"),
        ("engine.py", "ops.py"),
        ("a/b/c/engine.py", "ops.py"),
    ],
    ids=["as they are", "in a folder", "without folders", "elsewhere"],
)
def test_files_are_found_by_their_paths_and_else_by_their_names(names: tuple[str, str]) -> None:
    found = source_of([SentFile(names[1], OPS), SentFile(names[0], ENGINE)], WANTED, "")
    assert split(found.source) == BOTH
    assert list(split(found.source)) == list(BOTH), "in the order of the exercise"
    assert found.notes == ()


def test_a_single_file_replaces_one_and_leaves_the_others() -> None:
    found = source_of([SentFile("ops.py", b"new = 1\n")], WANTED, "", join(BOTH))
    assert split(found.source) == {"chain/engine.py": ENGINE, "chain/ops.py": b"new = 1\n"}


def test_a_download_of_all_files_in_one_text_comes_back() -> None:
    assert source_of([SentFile("chain.py", join(BOTH))], WANTED, "").source == join(BOTH)


def test_an_edited_given_file_and_other_files_are_not_used_and_it_is_said() -> None:
    more = [SentFile("chain/shape.py", b"edited\n"), SentFile("notes.py", b""), SentFile("README.md", b"")]
    found = source_of([*(SentFile(*item) for item in BOTH.items()), *more], WANTED, "")
    assert split(found.source) == BOTH
    assert found.notes == (
        "chain/shape.py is part of the exercise, so your version of it is not used.",
        "Not used: notes.py and README.md.",
    )
    unchanged = source_of(
        [*(SentFile(*item) for item in BOTH.items()), SentFile("chain/shape.py", b"given\r\n")], WANTED, ""
    )
    assert unchanged.notes == ()


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "The upload contains no file."),
        ({".git/config": b"", "__MACOSX/x.py": b""}, "The upload contains no file."),
        (
            {"a/other.py": b""},
            "The upload contains none of the files chain/engine.py and chain/ops.py. It contains a/other.py.",
        ),
        (
            {"a/chain/ops.py": OPS, "b/chain/ops.py": OPS},
            "Both a/chain/ops.py and b/chain/ops.py can be chain/ops.py. Send one of them.",
        ),
        ({"ops.py": b"\xff\xfe"}, "ops.py could not be read as text. Save it as UTF-8 and send it again."),
        ({"ops.py": b"x" * (MAX_BYTES + 1)}, "ops.py is larger than 262,144 bytes, the maximum size of a submission."),
        (
            LONG,
            f"The files have {len(join(LONG)):,} bytes together; the limit is 262,144 bytes.",
        ),
        (
            {"ops.py": b"# ==== file: a.py ====\n", "engine.py": b""},
            "chain/ops.py contains a line that looks like the heading of a file: # ==== file: ... ====. Change that line.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(FilesError) as error:
        source_of([SentFile(*item) for item in files.items()], WANTED, "")
    assert str(error.value) == sentence


def test_the_file_of_an_exercise_of_one_is_found_among_others() -> None:
    many = [SentFile("hw/layers.py", OPS), SentFile("hw/solver.py", b""), SentFile("hw/README.md", b"")]
    found = source_of(many, None, "layers.py")
    assert found.source == OPS
    assert found.notes == ("Not used: hw/solver.py and hw/README.md.",)
    assert source_of([SentFile("anything.py", OPS)], None, "layers.py").source == OPS
    with pytest.raises(FilesError, match=r"contains no file layers\.py\. It contains a\.py and b\.py\."):
        source_of([SentFile("a.py", b""), SentFile("b.py", b"")], None, "layers.py")
    with pytest.raises(FilesError, match=r"several files layers\.py: a/layers\.py and b/layers\.py\. Send one of them\."):
        source_of([SentFile("a/layers.py", b""), SentFile("b/layers.py", b"")], None, "layers.py")


# -- archives -----------------------------------------------------------------------------------------------------------


def test_an_archive_is_read_and_a_packed_source_comes_back() -> None:
    files = unzip(zipped(join(BOTH), WANTED.given))
    assert {file.name: file.content for file in files} == BOTH | {"chain/shape.py": b"given\n"}


@pytest.mark.parametrize("name", ["../ops.py", "/ops.py", "a/../../ops.py", "..\\ops.py", "C:\\ops.py", "a//ops.py"])
def test_names_that_lead_out_of_an_archive_are_refused(name: str) -> None:
    with pytest.raises(FilesError, match="which leads out of it"):
        unzip(archive({"chain/ops.py": OPS, name: OPS}))


def test_links_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("chain/ops.py")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(FilesError, match="contains the link chain"):
        unzip(data.getvalue())
    (tmp_path / "ops.py").symlink_to("/etc/passwd")
    with pytest.raises(FilesError, match=r"contains the link ops\.py"):
        from_path(tmp_path)


def test_two_members_of_one_name_are_refused() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made, pytest.warns(UserWarning, match="Duplicate name"):
        made.writestr("ops.py", OPS)
        made.writestr("ops.py", ENGINE)
    with pytest.raises(FilesError, match=r"contains ops\.py twice"):
        unzip(data.getvalue())


def test_names_that_differ_only_in_case_are_two_files() -> None:
    found = source_of(unzip(archive({"chain/ops.py": OPS, "chain/OPS.py": b"", "chain/engine.py": ENGINE})), WANTED, "")
    assert split(found.source) == BOTH
    assert found.notes == ("Not used: chain/OPS.py.",)


def test_ten_thousand_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match="contains 10,000 files; the limit is 1,000"):
        unzip(archive({f"{n}.txt": b"" for n in range(10_000)}))
    with pytest.raises(FilesError, match="contains 1,001 files; the limit is 1,000"):
        unzip(archive({f"{n}.txt": b"" for n in range(1_001)}))
    assert len(unzip(archive({f"{n}.txt": b"" for n in range(1_000)}))) == 1_000
    for n in range(1_001):
        (tmp_path / f"{n}.txt").touch()
    with pytest.raises(FilesError, match="contains more than 1,000 files"):
        from_path(tmp_path)


def test_an_archive_that_unpacks_to_gigabytes_costs_no_memory() -> None:
    data = io.BytesIO()
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("chain/ops.py", "w", force_zip64=True) as member,
    ):
        for _ in range(1_000):
            member.write(bytes(1 << 20))
    zeros = data.getvalue()
    assert len(zeros) < MAX_ZIP_BYTES
    (only,) = unzip(zeros)
    assert len(only.content) == MAX_BYTES + 1
    with pytest.raises(FilesError, match=r"chain/ops\.py is larger than"):
        source_of([only], WANTED, "")
    with pytest.raises(FilesError, match="contains more than 1,048,576 bytes of Python files"):
        unzip(archive({f"{n}.py": bytes(1 << 20) for n in range(5)}))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK\x03\x04", archive(BOTH)[:-30], archive(BOTH)[10:], b"x" * 1000],
    ids=["empty", "head", "cut", "tail", "no zip"],
)
def test_what_is_no_archive_is_said(data: bytes) -> None:
    with pytest.raises(FilesError, match="cannot be read as a zip archive"):
        unzip(data)


def test_a_damaged_member_and_a_locked_one_are_said() -> None:
    whole = bytearray(archive({"ops.py": b"x = 1\n" * 50}))
    whole[40] ^= 0xFF
    with pytest.raises(FilesError, match="cannot be read as a zip archive"):
        unzip(bytes(whole))
    locked = bytearray(archive({"ops.py": OPS}))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(FilesError, match="is encrypted"):
        unzip(bytes(locked))


def test_an_archive_over_the_limit_is_refused() -> None:
    with pytest.raises(FilesError, match="the limit is 4,194,304 bytes"):
        unzip(bytes(MAX_ZIP_BYTES + 1))


def test_names_that_are_no_utf_8_are_shown_and_not_used() -> None:
    made = archive({"chain/ops.py": OPS, "chain/engine.py": ENGINE, "caf\u00e9-x.py": b""})
    raw = made.replace("caf\u00e9".encode(), b"caf\xff\xfe")
    flags = raw.replace(b"\x14\x00\x00\x08", b"\x14\x00\x00\x00")  # without the flag for names in UTF-8
    found = source_of(unzip(flags), WANTED, "")
    assert split(found.source) == BOTH
    assert found.notes[0].startswith("Not used: caf")


def test_a_folder_is_read_without_caches_and_hidden_files(tmp_path: Path) -> None:
    for name in ("chain/engine.py", "chain/ops.py", "chain/__pycache__/ops.pyc", ".git/config", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(BOTH.get(name, b"x"))
    found = source_of(from_path(tmp_path), WANTED, "")
    assert split(found.source) == BOTH
    assert found.notes == ("Not used: notes.txt.",)


def test_the_only_file_may_have_another_name_if_one_is_asked_for() -> None:
    one = FileSet("answers.py", ("answers.py",), {}, {"support.py": b"S = 1\n"}, {}, {})
    found = source_of([SentFile("solutions.py", OPS), SentFile("notes.txt", b"")], one, "answers.py")
    assert split(found.source) == {"answers.py": OPS}
    assert found.notes == ("solutions.py is used as answers.py.", "Not used: notes.txt.")
    with pytest.raises(FilesError, match=r"none of the files answers\.py"):
        source_of([SentFile("a.py", OPS), SentFile("b.py", OPS)], one, "answers.py")


def test_files_of_the_students_own_come_with_their_folders() -> None:
    wanted = FileSet("chain/engine.py", ("chain/engine.py",), {"chain/shape.py": b"given\n"}, free=("chain/*.py",))
    sent = {"hw/chain/engine.py": ENGINE, "hw/chain/nn/layers.py": OPS, "hw/notes.txt": b"", "hw/setup.py": b"x = 1\n"}
    found = source_of([SentFile(name, content) for name, content in sent.items()], wanted, "")
    assert split(found.source) == {"chain/engine.py": ENGINE, "chain/nn/layers.py": OPS}
    assert any("setup.py" in note for note in found.notes)
    more = source_of([SentFile("chain/more.py", b"y = 2\n")], wanted, "", found.source)
    assert list(split(more.source)) == ["chain/engine.py", "chain/more.py", "chain/nn/layers.py"]
