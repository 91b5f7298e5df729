"""Sites on both databases, and two of them in which everything has happened; each is made once."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.backup.sites import Site, new_site
from tests.servers import Postgres, postgres_server

KINDS = ("sqlite", "postgres")
MakeSite = Callable[[str], Site]


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def make_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> MakeSite:
    """`make_site("postgres")`: a database without tables."""
    folder, numbers = tmp_path_factory.mktemp("sites"), count(1)

    def make(kind: str) -> Site:
        server = request.getfixturevalue("server") if kind == "postgres" else None
        return new_site(folder, f"site{next(numbers)}", server)

    return make


@pytest.fixture(scope="session")
def full_sites(make_site: MakeSite) -> Callable[[str], Site]:
    made: dict[str, Site] = {}

    def full(kind: str) -> Site:
        if kind not in made:
            made[kind] = make_site(kind)
            made[kind].ask("fill")
        return made[kind]

    return full


@pytest.fixture(scope="session")
def saved(full_sites: Callable[[str], Site], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The backup of a full site, by its database."""
    folder, made = tmp_path_factory.mktemp("backups"), dict[str, Path]()

    def backup(kind: str) -> Path:
        if kind not in made:
            made[kind] = folder / f"{kind}.zip"
            full_sites(kind).manage("backup", made[kind])
        return made[kind]

    return backup
