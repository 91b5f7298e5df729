"""What is no archive of ours, or not for this database, is refused in one line before a row is written."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.backup.conftest import MakeSite
from tests.backup.sites import Site
from tests.servers import Postgres


@dataclass
class Forged:
    """An archive in the hands of somebody who changes it."""

    manifest: dict[str, Any]
    members: dict[str, bytes]

    def held(self, table: str) -> dict[str, Any]:
        return next(one for one in self.manifest["tables"] if one["name"] == table)

    def put(self, table: str, lines: bytes, **told: object) -> None:
        """In the place of its rows, with the manifest to match."""
        self.members[f"tables/{table}.jsonl"] = lines
        right = {"rows": lines.count(b"\n"), "bytes": len(lines), "sha256": sha256(lines).hexdigest()}
        self.held(table).update(right | told)

    def rows(self, table: str) -> list[list[Any]]:
        return [msgspec.json.decode(line) for line in self.members[f"tables/{table}.jsonl"].splitlines()]

    def change(self, table: str, column: str, value: object) -> None:
        """In its first row."""
        rows = self.rows(table)
        rows[0][self.held(table)["columns"].index(column)] = value
        self.put(table, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))

    def write(self, path: Path) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.members.items():
                archive.writestr(name, content)
            archive.writestr("manifest.json", msgspec.json.encode(self.manifest))
        return path


@pytest.fixture
def forged(saved: Callable[[str], Path]) -> Forged:
    with zipfile.ZipFile(saved("sqlite")) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return Forged(msgspec.json.decode(members.pop("manifest.json")), members)


@pytest.fixture(scope="module")
def site(make_site: MakeSite) -> Site:
    """Empty and migrated, before and after every refusal."""
    site = make_site("sqlite")
    site.manage("migrate", "-v", "0")
    return site


def refusal(site: Site, forged: Forged, folder: Path) -> str:
    said = site.refuses("restore", forged.write(folder / "forged.zip"))
    assert site.holds_nothing()
    return said


def test_an_archive_that_nobody_changed_is_taken(forged: Forged, make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site("sqlite")
    site.manage("restore", forged.write(tmp_path / "same.zip"))
    assert not site.holds_nothing()


# -- damaged, or another's


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", b"PK\5\6" + bytes(18)])
def test_what_is_no_archive(site: Site, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    assert "This file is not a Gradus backup" in site.refuses("restore", tmp_path / "x.zip")


def test_a_file_that_is_not_there_is_a_wrong_call(site: Site) -> None:
    assert site.run("manage.py", "restore", "nowhere.zip").status == 2


@pytest.mark.parametrize("share", [0.3, 0.99])
def test_half_an_archive(site: Site, saved: Callable[[str], Path], share: float, tmp_path: Path) -> None:
    whole = saved("sqlite").read_bytes()
    (tmp_path / "half.zip").write_bytes(whole[: int(len(whole) * share)])
    assert "This file is not a Gradus backup" in site.refuses("restore", tmp_path / "half.zip")


def test_one_byte_that_is_another(site: Site, saved: Callable[[str], Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(saved("sqlite")) as archive:
        place = archive.getinfo("tables/submissions.Grading.jsonl").header_offset + 200
    content = bytearray(saved("sqlite").read_bytes())
    content[place] ^= 0x10
    (tmp_path / "flipped.zip").write_bytes(content)
    said = site.refuses("restore", "--check", tmp_path / "flipped.zip")
    assert "damaged" in said
    assert "submissions.Grading" in said


def test_rows_that_are_not_those_of_the_manifest(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.put(
        "gradebook.Override", forged.members["tables/gradebook.Override.jsonl"].replace(b"3.33", b"9.33"), sha256="0" * 64
    )
    assert "gradebook.Override does not match the manifest" in refusal(site, forged, tmp_path)


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "tables/sessions.Session.jsonl", "tables/courses.User.jsonl/x"])
def test_a_member_that_the_manifest_does_not_name(site: Site, forged: Forged, name: str, tmp_path: Path) -> None:
    forged.members[name] = b"[]\n"
    assert "not those that its manifest lists" in refusal(site, forged, tmp_path)
    assert not list(tmp_path.rglob("cron.d"))


def test_a_member_that_is_there_twice(site: Site, forged: Forged, tmp_path: Path) -> None:
    path = forged.write(tmp_path / "twice.zip")
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("tables/courses.User.jsonl", b"")
    assert "not those that its manifest lists" in site.refuses("restore", path)


def test_a_table_that_is_none_of_ours(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.manifest["tables"][0] = {**forged.held("admin.LogEntry"), "name": "sqlite_master"}
    forged.members["tables/sqlite_master.jsonl"] = forged.members.pop("tables/admin.LogEntry.jsonl")
    assert "do not match its migrations" in refusal(site, forged, tmp_path)


def test_a_column_that_is_none_of_ours(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.held("courses.User")["columns"][1] = "password) VALUES (1); --"
    assert "do not match its migrations" in refusal(site, forged, tmp_path)


# -- rows that are none


@pytest.mark.parametrize(
    ("column", "value"), [("id", "1"), ("course_id", None), ("points", "ten"), ("due_at", "tomorrow"), ("title", 7)]
)
def test_a_value_of_another_kind(site: Site, forged: Forged, column: str, value: object, tmp_path: Path) -> None:
    forged.change("courses.Assignment", column, value)
    assert "Row 1 of courses.Assignment in the archive is not valid" in refusal(site, forged, tmp_path)


def test_a_row_that_is_too_short(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.put("courses.Section", b"[1]\n")
    assert "Row 1 of courses.Section" in refusal(site, forged, tmp_path)


def test_a_value_that_is_nested_without_end(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.put("gradebook.UnitRule", b"[" * 100_000 + b"\n")
    assert "Row 1 of gradebook.UnitRule" in refusal(site, forged, tmp_path)


def test_a_row_that_points_to_nobody(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.change("courses.Membership", "user_id", 999_999)
    assert "contradict each other. Nothing was restored" in refusal(site, forged, tmp_path)


def test_a_second_grade_that_counts(site: Site, forged: Forged, tmp_path: Path) -> None:
    """The rules of the tables hold for restored rows, too."""
    rows = forged.rows("submissions.Grading")
    columns = forged.held("submissions.Grading")["columns"]
    for row in rows:
        row[columns.index("current")] = True
    forged.put("submissions.Grading", b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    assert "contradict each other. Nothing was restored" in refusal(site, forged, tmp_path)


def test_a_text_that_postgresql_cannot_keep_is_told_before_anything_is_written(
    make_site: MakeSite, forged: Forged, tmp_path: Path
) -> None:
    site, sqlite = make_site("postgres"), make_site("sqlite")
    site.manage("migrate", "-v", "0")
    forged.change("submissions.Draft", "replaced", "a\0b")
    said = refusal(site, forged, tmp_path)
    assert "Row 1 of submissions.Draft contains a NUL character" in said
    sqlite.manage("restore", tmp_path / "forged.zip")
    assert ["replaced", repr("a\0b")] in sqlite.ask("rows")["submissions.Draft"]["1"]


def test_a_database_in_which_no_site_can_work(server: Postgres, saved: Callable[[str], Path], tmp_path: Path) -> None:
    server.sql("create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0")
    site = Site(tmp_path, server.url.removesuffix("/gradus") + "/latin")
    refused = site.refuses("restore", saved("sqlite"))
    assert "has the encoding LATIN1" in refused
    assert refused.endswith("createdb -E UTF8 -T template0 latin. Nothing was restored.")


# -- bombs


def with_length(forged: Forged, path: Path, table: str, length: int) -> Path:
    """The zip says that a member has this length."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**forged.members, "manifest.json": msgspec.json.encode(forged.manifest)}.items():
            archive.writestr(name, content)
        archive.getinfo(f"tables/{table}.jsonl").file_size = length
    return path


def test_what_would_unfold_without_end_is_not_unfolded(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.held("courses.Section")["bytes"] = 3 << 30
    assert "would unpack to 3 GB" in site.refuses(
        "restore", with_length(forged, tmp_path / "a.zip", "courses.Section", 3 << 30)
    )


def test_a_member_that_unfolds_to_more_than_it_says(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.held("courses.Section")["bytes"] = 10
    assert "damaged in courses.Section" in site.refuses(
        "restore", with_length(forged, tmp_path / "a.zip", "courses.Section", 10)
    )
    assert "do not have the sizes" in site.refuses("restore", with_length(forged, tmp_path / "b.zip", "courses.Section", 11))


def test_a_row_without_end(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.put("courses.Section", b" " * (65 << 20) + b"\n")
    assert "Row 1 of courses.Section is larger than 64 MB" in refusal(site, forged, tmp_path)


def test_a_list_of_members_without_end(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.members |= {f"{n:050}": b"" for n in range(20_000)}
    assert "its list of files is too long" in refusal(site, forged, tmp_path)


def test_a_manifest_without_end(site: Site, forged: Forged, tmp_path: Path) -> None:
    forged.manifest["personal_data"] = "x" * (2 << 20)
    assert "the manifest is too long" in refusal(site, forged, tmp_path)
