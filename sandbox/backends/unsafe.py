"""Starts a zygote as a plain child process, for development without bubblewrap. Protects against accidents, not attacks.

Only available with `DEBUG`, and every verdict mentions it.
"""

import os
import sys
from pathlib import Path

from sandbox.backends.base import INTERPRETER_FLAGS, bootstrap, environment
from sandbox.backends.process import ChildZygote, Launch
from sandbox.wire import Limits

ROOT = Path(__file__).resolve().parent.parent.parent


class Unsafe:
    name = "unsafe"
    layers = frozenset({"rlimits", "inner-timer", "outer-timer", "output"})
    around: frozenset[str] = frozenset()
    pool = 0

    def start(self, profile: str, limits: Limits) -> ChildZygote:
        return ChildZygote(self.launch(profile))

    def launch(self, profile: str) -> Launch:
        packages = [path for path in sys.path if path.endswith("site-packages")]
        command = (os.path.realpath(sys.executable), *INTERPRETER_FLAGS, "-c", bootstrap([str(ROOT)], packages))
        return Launch(command, environment() | {"LD_LIBRARY_PATH": f"{sys.base_prefix}/lib"})
