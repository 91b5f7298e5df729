"""Runs the submitted file as the course does: as a script, in the course's folder, with its other modules at hand."""

import importlib.util
import os
import tempfile
import traceback
from pathlib import Path
from types import ModuleType

from placeholders import PlaceholderImporter

FOLDER = "chapter0_fundamentals/exercises/part4_backprop"


class Script(ModuleType):
    """A module that its loader knows as `answers`, while its code finds `__main__` in `__name__`."""

    __name__ = property(lambda self: "answers")


def run():
    """The names that the file defines, and the exception that ended it early, if any.

    The functions before the exception are graded all the same: the end of the file trains and plots.
    """
    script, error, before = Script("answers"), None, os.getcwd()
    script.__dict__["__name__"] = "__main__"
    try:
        folder = Path(tempfile.gettempdir(), FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
    except OSError:
        pass  # only files that look for the course's folder need it
    try:
        with PlaceholderImporter():
            importlib.util.find_spec("answers").loader.exec_module(script)
    except Exception as raised:
        error = raised
        traceback.print_exc()
    finally:
        os.chdir(before)
    return script.__dict__, error


def missing(name, error):
    """Stands in for a function that the file does not define, so that the others are graded."""

    def function(*args, **kwargs):
        raise error or NotImplementedError(f"answers.py does not define {name}")

    return function
