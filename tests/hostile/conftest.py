"""A ground for every module of hostile tests; it is cleared away after each, so that no other test runs among its limits."""

from collections.abc import Iterator

import pytest

from autograder.judge.pack import Pack
from tests.hostile.ground import Ground, prepared


@pytest.fixture(scope="module")
def ground(packs: dict[str, Pack], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with prepared(packs, tmp_path_factory.mktemp("hostile")) as ground:
        yield ground
        ground.assert_all_serve()
