"""What staff are told about a file: where it looks at or changes what runs beside it."""

from pathlib import Path

import pytest

from autograder.judge.introspection import MOST, Use, uses_of
from tests.conftest import EXERCISES
from tests.hostile.test_evidence import FOLDER


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import sys\nsys._getframe(1).f_locals['vjp']", ["_getframe", "f_locals"]),
        ("f.__closure__[0].cell_contents", ["__closure__", "cell_contents"]),
        ("getattr(f, '__closure__')", ["__closure__"]),
        ("import gc\ngc.get_objects()\ngc.collect()", ["get_objects"]),
        ("import gc as collector\nfrom gc import get_referents", ["get_referents"]),
        ("from torch._C import _DisableTorchDispatch", ["_DisableTorchDispatch"]),
        ("import ctypes\nctypes.memset(0, 0, 1)", ["ctypes.memset"]),
        ("import numpy as np\nnp.allclose = lambda *_: True", ["np.allclose ="]),
        ("import torch\ntorch.nn.functional.relu, x = f, 1", ["torch.nn.functional.relu ="]),
        (
            "import sys\nsys.modules['numpy'] = None\ndel sys.modules['torch']",
            ["sys.modules['numpy'] =", "sys.modules['torch'] ="],
        ),
        ("import sys\nsys" + ".a" * 900 + " = 1\nsys._getframe()", ["sys … =", "_getframe"]),
        ("import math\nsetattr(math, 'exp', None)", ["setattr(math, …)"]),
        ("import inspect\ninspect.stack()", ["inspect.stack"]),
    ],
)
def test_what_is_found(source: str, names: list[str]) -> None:
    assert [use.name for use in uses_of(source.encode())] == names


@pytest.mark.parametrize(
    "source",
    [
        "'''A closure has cell_contents, and a frame f_locals.'''\n# sys._getframe",
        "import torch\nx = torch.zeros(3)\nx.grad = None\nx[0] = 1.0\nself.data = 2\nctx.kept = x",
        "import gc\ngc.collect()",
        "import inspect\ninspect.signature(f)",
        "def broken(:",
        "(" * 5000,
        "x = " + "-" * 100_000 + "1",
        "\0",
        "",
    ],
)
def test_what_is_not(source: str) -> None:
    assert uses_of(source.encode()) == ()


def test_lines_of_several_files_are_those_of_the_whole_text() -> None:
    source = b"# ==== file: a.py ====\nx = 1\n# ==== file: b.py ====\nimport sys\nsys._getframe()\n"
    assert uses_of(source) == (Use(5, "_getframe"),)


def test_each_name_once_and_not_too_many() -> None:
    assert uses_of(b"import sys\nsys._getframe()\nsys._getframe()") == (Use(2, "_getframe"),)
    many = "import math\n" + "\n".join(f"math.x{n} = 1" for n in range(100))
    assert len(uses_of(many.encode())) == MOST


def test_no_solution_needs_any() -> None:
    paths = [path for name in ("solution.py", "starter.py", "right/**/*.py") for path in EXERCISES.glob(f"*/*/{name}")]
    assert len(paths) > 400
    assert {str(path): uses for path in paths if (uses := uses_of(path.read_bytes()))} == {}


def test_those_who_edit_evidence_are_found() -> None:
    """All but one, which only hides objects."""
    unseen = {path.stem for path in Path(FOLDER).glob("*.py") if not uses_of(path.read_bytes())}
    assert unseen == {"save-budget"}
