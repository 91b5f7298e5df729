"""The committed front-end build matches its sources, is small enough for a phone, and loads nothing from other sites."""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.frontend import BUILT, SOURCES, build

COURSE_HOME = ("site.css", "site.js")
EXERCISE = (*COURSE_HOME, "editor.js", "math.css", "math.js", "player.css", "player.js")
FONTS_OF_A_FORMULA = (
    "Main-Regular",
    "Main-Bold",
    "Math-Italic",
    "Size1-Regular",
    "Size2-Regular",
    "Size3-Regular",
    "AMS-Regular",
)
MARKUP = 30_000  # compressed size of a long page itself, in bytes


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frontend")
    build(folder / "web", folder)
    return folder / "web"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def packages(name: str) -> dict[str, str]:
    return dict(json.loads((SOURCES / "package.json").read_text())[name])


def weight(names: tuple[str, ...]) -> int:
    """Return the number of bytes transferred. Fonts are already compressed."""
    present = [BUILT / name for name in names if (BUILT / name).exists()]
    return sum(len(gzip.compress(path.read_bytes())) if path.suffix != ".woff2" else path.stat().st_size for path in present)


def test_the_committed_files_match_a_fresh_build(fresh: Path) -> None:
    built, committed = files(fresh), files(BUILT)
    differing = sorted(name for name in built.keys() | committed.keys() if built.get(name) != committed.get(name))
    assert differing == [], "in frontend/ type: npm ci --ignore-scripts && npm run build"


def test_every_source_at_the_top_becomes_a_file_of_the_site() -> None:
    sources = {path.name for path in (SOURCES / "src").iterdir() if path.suffix in {".js", ".css"}}
    assert sources == {path.name for path in BUILT.iterdir() if path.suffix in {".js", ".css"}}


def test_versions_are_exact() -> None:
    versions = packages("dependencies") | packages("devDependencies")
    assert [name for name, version in versions.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_every_library_in_the_scripts_comes_with_its_licence() -> None:
    licences = (BUILT / "licenses.txt").read_text()
    assert [name for name, version in packages("dependencies").items() if f"{name} {version} (" not in licences] == []


@pytest.mark.parametrize("sheet", sorted(path.name for path in BUILT.glob("*.css")))
def test_a_style_sheet_names_only_files_that_lie_beside_it(sheet: str) -> None:
    named = re.findall(r"url\(\s*[\"']?([^\"')]+)", (BUILT / sheet).read_text())
    assert [address for address in named if not (address.startswith("data:") or (BUILT / address).is_file())] == []


def test_the_course_home_stays_under_100_kilobytes() -> None:
    assert weight(COURSE_HOME) + MARKUP < 100_000


def test_an_exercise_with_formulas_and_a_player_stays_under_420_kilobytes() -> None:
    fonts = tuple(f"fonts/KaTeX_{font}.woff2" for font in FONTS_OF_A_FORMULA)
    assert weight(EXERCISE + fonts) + MARKUP < 420_000
