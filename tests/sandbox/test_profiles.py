"""What each profile can import, which is a policy kept by absence."""

import pytest

from autograder.library.sandboxes import backend
from sandbox.host import Sandbox
from sandbox.packages import closure
from sandbox.wire import Answer, Loaded

OURS = ["sandbox", "autograder", "django", "msgspec", "pytest", "pip"]
EXPECTED = {"python": set[str](), "numpy": {"numpy"}, "torch": {"numpy", "torch"}}
SOURCE = b"""
import importlib, sys

def importable(names, folders):
    sys.path += folders
    found = []
    for name in names:
        try:
            importlib.import_module(name)
            found.append(name)
        except ImportError:
            pass
    return found
"""


@pytest.mark.parametrize("profile", EXPECTED)
def test_a_profile_has_its_packages_and_no_others(profile: str) -> None:
    folders = ["/opt/gradus", "/opt/packages", "/usr/lib/python3/dist-packages", "/opt/python/lib/python3.11/site-packages"]
    with Sandbox(backend(), profile) as box, box.session() as session:
        assert isinstance(session.load(SOURCE), Loaded)
        reply = session.ask("call", "importable", [[*OURS, "numpy", "torch"], []])
        assert isinstance(reply, Answer)
        assert set(reply.value) == EXPECTED[profile]
        searched = session.ask("call", "importable", [["torch", "numpy", "django", "autograder", "awscli"], folders])
        assert isinstance(searched, Answer)
        assert set(searched.value) == EXPECTED[profile]


@pytest.mark.parametrize("profile", EXPECTED)
def test_names_of_python_2_that_course_files_import_are_there(profile: str) -> None:
    source = (
        b"from past.builtins import xrange\nimport past.builtins as old\ndef total(n): return sum(xrange(n)) + old.long(1)\n"
    )
    with Sandbox(backend(), profile) as box, box.session() as session:
        assert isinstance(session.load(source), Loaded)
        reply = session.ask("call", "total", [4])
        assert isinstance(reply, Answer)
        assert reply.value == 7


def test_the_closure_of_torch_has_what_torch_requires() -> None:
    names = {path.name for path in closure(("torch",))}
    assert {"torch", "sympy", "networkx", "typing_extensions.py"} <= names
    assert "django" not in names


def test_the_zygote_of_a_profile_reports_its_versions() -> None:
    with Sandbox(backend(), "numpy") as box:
        assert box.wait_until_warm().versions.keys() == {"python", "numpy"}
