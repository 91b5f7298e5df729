"""One ground for all hostile tests; it is cleared away after them, so that no other test runs among its limits."""

from collections.abc import Iterator

import pytest

from autograder.judge.pack import Pack
from tests.hostile.ground import Ground, prepared


@pytest.fixture(scope="package")
def prepared_ground(packs: dict[str, Pack], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with prepared(packs, tmp_path_factory.mktemp("hostile")) as ground:
        yield ground


@pytest.fixture(scope="module")
def ground(prepared_ground: Ground) -> Iterator[Ground]:
    """The zygotes that start in a moment are new in every module, long before they are replaced for their age."""
    prepared_ground.renew("python", "numpy")
    yield prepared_ground
    prepared_ground.assert_all_serve()
