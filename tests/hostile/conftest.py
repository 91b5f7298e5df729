"""One ground for all hostile tests: warming up is the expensive part."""

from collections.abc import Iterator

import pytest

from autograder.judge.pack import Pack
from tests.hostile.ground import Ground, prepared


@pytest.fixture(scope="session")
def ground(packs: dict[str, Pack], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with prepared(packs, tmp_path_factory.mktemp("hostile")) as ground:
        yield ground
