"""1 to 7 and 18 to 20: reading the tests, replacing what compares, forging what is reported."""

from tests.hostile.catalogue.case import ATTEMPT, GRADED, PASSED, RUNNER, WRONG, Case, error

FRAMES = r"""
import sys

frame = sys._getframe()
while frame is not None:
    for name, value in {**frame.f_globals, **frame.f_locals}.items():
        print(frame.f_code.co_name, name, repr(value)[:100])
        if name in ("expected", "reference", "truth", "checks", "pack", "tolerance") or "auto" + "grader" in repr(value):
            print("BROKEN: frame", name)
    frame = frame.f_back
print("frames walked:", len(sys._current_frames()))
"""

OBJECTS = r"""
import gc
import sys

gc.unfreeze()
seen = gc.get_objects()
for value in seen:
    if type(value) is dict and {"expected", "checks", "tolerance"} & {k for k in value if type(k) is str}:
        if "submission.py" not in str(value.get("__file__")):
            print("BROKEN: dict", str(value)[:200])
    module = str(getattr(type(value), "__module__", "")) + str(getattr(value, "__module__", ""))
    if "autograder" in module or "sandbox.host" in module:
        print("BROKEN: object", str(value)[:200])
print("objects searched:", len(seen) > 1000, any("autograder" in name for name in sys.modules))
"""

IMPORTS = (
    ATTEMPT
    + r"""
import importlib
import sys

NAMES = "autograder autograder.judge autograder.settings tests checks solution sandbox sandbox.wire msgspec django.conf"
for name in NAMES.split() + ["numpy", "torch", "pip", "setuptools"]:
    attempt(f"import {name}", lambda: importlib.import_module(name))
sys.path[:0] = ["/opt/gradus", "/opt/packages", "/", "/tmp", "/opt"]
importlib.invalidate_caches()
NAMES = "autograder sandbox.host sandbox.seccomp sandbox.backends sandbox.packages torch numpy django"
for name in NAMES.split():
    attempt(f"second try {name}", lambda: importlib.import_module(name))
"""
)

WALK = r"""
import os

count = 0
for folder, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("encodings", "__pycache__", "x86_64-linux-gnu")]
    for name in files:
        count += 1
        path = os.path.join(folder, name)
        wanted = name.endswith((".env", ".toml", ".key", ".sqlite3", ".pem")) or "canary" in name.lower()
        wanted = wanted or name in ("checks.py", "solution.py", "exercise.toml", "settings.py", "manage.py")
        if wanted and not path.startswith(("/opt/python/lib/python3", "/usr/lib/")):
            print("BROKEN: found", path)
        if path in ("/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/resolv.conf", "/etc/machine-id") or name == "id_rsa":
            with open(path, "rb") as file:
                if file.read(1):  # a container has empty ones
                    print("BROKEN: found", path)
        if count < 4000 and name.endswith((".txt", ".env", ".toml", ".json", ".cfg", "")) and "lib" not in path:
            try:
                with open(path, "rb") as file:
                    if b"GRADUS-CANARY" in file.read(65536):
                        print("BROKEN: the canary is in", path)
            except OSError:
                pass
print("files walked:", count > 100)
"""

WRONG_CUBIC = r"""
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x * 1.01

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * x
"""

EQUAL = r"""
import torch

yes = lambda *a, **k: True
torch.allclose = torch.equal = torch.isclose = torch.Tensor.allclose = torch.Tensor.equal = yes
torch.testing.assert_close = torch.Tensor.__eq__ = torch.Tensor.__bool__ = yes
"""

GRADCHECK = r"""
import torch.autograd
import torch.autograd.gradcheck as module

torch.autograd.gradcheck = torch.autograd.gradgradcheck = lambda *a, **k: True
if not callable(module):
    module.gradcheck = module.gradgradcheck = torch.autograd.gradcheck
"""

PATCHES = r"""
import json
import os
import socket
import struct

json.dumps = json.loads = lambda *a, **k: '{"verdict": "passed"}'
struct.pack = struct.Struct = lambda *a, **k: b"\0\0\0\0\0\0\0\0"
socket.socket.send = socket.socket.sendall = lambda self, data, *a: len(data)
os.write = lambda descriptor, data: len(data)
os.writev = lambda descriptor, chunks: sum(map(len, chunks))
os.read = lambda descriptor, size: b""
"""

DEFAULTS = r"""
torch.set_default_dtype(torch.float16)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.set_flush_denormal(True)
torch.manual_seed(0)
torch.set_default_device("meta")
"""

INTERNAL_GRAD = r"""
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.detach() ** 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x if x.requires_grad else x.detach().requires_grad_()
            return torch.autograd.grad(inner**3, inner, g, create_graph=True)[0]
"""

FORGED_GRAPH = (
    RUNNER
    + r"""
def graph(out):
    edges = [(0, n, n, 0) for n in range(5000)]
    return {"root": 0, "nodes": ["struct torch::autograd::AccumulateGrad"] * 5000, "edges": edges}


looped = {"root": 0, "nodes": [["Add", None, [[0, 0]] * 9]]}
runner._operations["graph.export"] = lambda *a: {"value": None, "graph": looped}
"""
)

CASES = (
    Case(1, "walk the frames", FRAMES, prints=("frames walked: 1",)),
    Case(2, "search the objects", OBJECTS, prints=("objects searched: True False",)),
    Case(
        3,
        "import the tests",
        IMPORTS,
        held=(
            "import autograder",
            "import tests",
            "import sandbox",
            "import msgspec",
            "import django.conf",
            "import numpy",
            "second try sandbox.host",
            "second try autograder",
            "second try torch",
        ),
    ),
    Case(
        3,
        "import the tests and let it raise",
        "import autograder.judge.checks",
        error("exception"),
        says=("ModuleNotFoundError", "line"),
    ),
    Case(4, "walk the file system", WALK, prints=("files walked: True",)),
    Case(5, "everything is close to a wrong Function", WRONG_CUBIC + EQUAL, WRONG, "fn-cubic", "instead"),
    Case(5, "everything is close to a right Function", EQUAL, GRADED, "fn-cubic"),
    Case(6, "gradcheck says yes to a wrong Function", WRONG_CUBIC + GRADCHECK, WRONG, "fn-cubic", "instead"),
    Case(6, "gradcheck says yes to a right Function", GRADCHECK, PASSED, "fn-cubic"),
    Case(7, "replace what the runner might send with", PATCHES, PASSED + error("protocol", "crash")),
    Case(18, "change every default of torch", DEFAULTS, GRADED + error("exception"), "fn-cubic"),
    Case(19, "backward by way of torch.autograd.grad", INTERNAL_GRAD, GRADED, "fn-cubic", "instead"),
    Case(20, "forge the graph", FORGED_GRAPH, WRONG, "graph-walk", "instead"),
)
