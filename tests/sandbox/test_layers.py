"""Every layer holds, and the self-check notices each one that is taken away."""

import pytest

from autograder.library.sandboxes import backend
from sandbox.backends.bubblewrap import Bubblewrap
from sandbox.backends.unsafe import Unsafe
from sandbox.errors import LayerMissing
from sandbox.host import Sandbox
from sandbox.limits import CURES, LAYERS
from sandbox.selfcheck import Examination, canary, missing_layers


def test_every_layer_holds_in_every_profile(any_profile: str) -> None:
    with Sandbox(backend(), any_profile) as box, canary():
        findings = list(Examination(box).findings())
    assert [finding.layer for finding in findings] == list(LAYERS)
    assert [(finding.layer, finding.seen) for finding in findings if not finding.holds] == []


@pytest.mark.parametrize(
    "layer", ["tmpfs", "proc", "rlimits", "capabilities", "seccomp", "inner-timer", "outer-timer", "output", "clean-zygote"]
)
def test_a_removed_layer_is_reported_missing(layer: str) -> None:
    with Sandbox(backend(), "python", without=frozenset({layer})) as box:
        missing = [finding.layer for finding in missing_layers(box, quick=False)]
    assert layer in missing
    assert set(missing) <= {layer, "environment"}  # an unclean zygote keeps its starting environment


def test_without_namespaces_no_job_starts_and_the_reason_is_named() -> None:
    with Sandbox(backend(), "python", without=frozenset({"namespaces"})) as box:
        findings = missing_layers(box, quick=False)
        assert {finding.layer for finding in findings} == set(LAYERS)
        assert any("mounting" in finding.seen for finding in findings)
        with pytest.raises(LayerMissing):
            box.session()


def test_a_plain_process_misses_what_it_has_not() -> None:
    with Sandbox(Unsafe(), "python") as box:
        missing = {finding.layer for finding in missing_layers(box, quick=False)}
    assert {"namespaces", "read-only", "proc", "capabilities", "seccomp"} <= missing
    assert not missing & {"inner-timer", "outer-timer", "output"}


def test_every_layer_has_a_cure() -> None:
    assert CURES.keys() == LAYERS.keys()


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(LayerMissing, match="apt-get install bubblewrap"):
        Bubblewrap().launch("python")
