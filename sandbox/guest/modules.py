"""Makes the files of a submission importable from each other, without a file system.

`engine/tensor.py` is the module `engine.tensor`, and `engine` a package, with or without an `__init__.py`. These modules come
first, so a file is found even if a library has a module of the same name.
"""

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

INIT = "/__init__"


class FileImporter:
    """Finds and loads the compiled files, by the names of their modules."""

    def __init__(self, codes: Mapping[str, CodeType]) -> None:
        self._paths = {module_name(path): path for path in codes}
        self._codes = codes
        folders = (path.split("/")[:-1] for path in codes)
        self._packages = {".".join(parts[:depth]) for parts in folders for depth in range(1, len(parts) + 1)}

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        if name not in self._paths and name not in self._packages:
            return None
        return ModuleSpec(name, self, origin=self._paths.get(name), is_package=name in self._packages)  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        path = self._paths.get(module.__name__)
        if path is not None:
            module.__file__ = path
            exec(self._codes[path], module.__dict__)


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix(INIT).replace("/", ".")


def run_files(codes: Mapping[str, CodeType], main: str) -> ModuleType:
    """Import the file `main`, and with it all that it imports."""
    sys.meta_path.insert(0, FileImporter(codes))  # type: ignore[arg-type]
    return importlib.import_module(module_name(main))
