"""Several files as one text: how a submission to an exercise of several files is stored, compared and sent.

Every file follows a heading, a comment line of its own:

    # ==== file: engine/tensor.py ====

A text without headings is a single file. Lines are counted in the whole text, and `place_of` finds the file and the line in it.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

PATH = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*/){0,8}[A-Za-z_][A-Za-z0-9_]*\.py")
MAX_PATH = 120
MAX_ADDED = 40  # files that a student adds
_HEADING = re.compile(rb"^# ={4} file: (\S{1,200}) ={4}[ \t]*\r?$\n?", re.MULTILINE)
_LINE_END = re.compile(rb"\r\n?|\n")
_OUR_NAMES = ("torch", "numpy", "submission", "sandbox", "autograder", "msgspec")


class FilesError(Exception):
    """Raised if files do not fit an exercise. The message is a sentence for the person who sent them."""


@dataclass(frozen=True)
class FileSet:
    """The files of an exercise of several files.

    Students edit the files in `editable`, read those in `given`, and never see those in `support`. A file in `carried` is the
    student's own from the exercise in `carried_from`; its content here is the reference, for students who have none. Students
    may add files whose paths match a pattern in `free`.
    """

    main: str
    editable: tuple[str, ...]
    given: Mapping[str, bytes] = field(default_factory=dict)
    support: Mapping[str, bytes] = field(default_factory=dict)
    carried: Mapping[str, bytes] = field(default_factory=dict)
    carried_from: Mapping[str, str] = field(default_factory=dict)
    free: tuple[str, ...] = ()

    @property
    def submitted(self) -> tuple[str, ...]:
        """The files that a submission may contain: the editable ones, and those carried from earlier exercises."""
        return (*self.editable, *self.carried)

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.submitted, *self.given, *self.support)

    def may_add(self, path: str) -> bool:
        """Whether students may add this file."""
        matches = any(fnmatchcase(path, pattern) for pattern in self.free)
        return matches and path not in self.paths and not problem_of_path(path)

    def complete(self, source: bytes, starter: bytes) -> dict[str, bytes]:
        """All files to run. Given and support files are always the exercise's own; a missing editable file is the starter's."""
        sent = split(source)
        own = {path: content for path, content in sent.items() if path in self.submitted or self.may_add(path)}
        return {**split(starter), **self.carried, **own, **self.given, **self.support}

    def problem(self, source: bytes) -> str:
        """Why a submission cannot be graded, as a sentence; empty if it can."""
        sent = split(source)
        if not sent:
            wanted = listed(self.editable)
            return f"This exercise consists of several files. Submit {wanted}, each below its heading line."
        repeated = _repeated(source)
        if repeated:
            return f"The submission contains {repeated} twice."
        missing = [path for path in self.editable if path not in sent]
        if missing:
            return f"The submission has no file {listed(missing)}."
        added = [path for path in sent if self.may_add(path)]
        unknown = [path for path in sent if path not in self.submitted and path not in added]
        if unknown:
            what = "is not a file" if len(unknown) == 1 else "are not files"
            may = f" Files of your own can be named like {listed(self.free)}." if self.free else ""
            return f"{listed(unknown)} {what} of this exercise. Submit {listed(self.editable)}.{may}"
        if len(added) > MAX_ADDED:
            return f"The submission has {len(added)} files of your own; the limit is {MAX_ADDED}."
        clash = problem_of_paths((*self.paths, *added))
        if clash:
            return f"{clash}. Rename one of them."
        empty = [path for path in self.editable if not sent[path].strip()]
        if len(empty) < len(self.editable):
            return ""
        return "All files are empty." if len(empty) > 1 else f"The file {empty[0]} is empty."


@dataclass(frozen=True)
class Place:
    """A line in one of the files. `path` is empty for a single file."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}" if self.path else f"line {self.line}"


def heading(path: str) -> str:
    return f"# ==== file: {path} ===="


def join(files: Mapping[str, bytes]) -> bytes:
    """One text with all files. A final newline is added to a file that has none."""
    parts = []
    for path, content in files.items():
        if _HEADING.search(content):
            raise FilesError(
                f"{path} contains a line that looks like the heading of a file: {heading('...')}. Change that line."
            )
        parts.append(f"{heading(path)}\n".encode() + content + (b"\n" if content and not content.endswith(b"\n") else b""))
    return b"".join(parts)


def split(source: bytes) -> dict[str, bytes]:
    """The files of a text, empty if it has no heading. What precedes the first heading belongs to no file; of two files with
    one name the first counts."""
    headings = list(_HEADING.finditer(source))
    ends = [*(found.start() for found in headings[1:]), len(source)]
    files: dict[str, bytes] = {}
    for found, end in zip(headings, ends, strict=False):
        files.setdefault(found[1].decode("utf-8", "replace"), source[found.end() : end])
    return files


def problem_of(source: bytes, wanted: FileSet | None) -> str:
    """Why a source has the wrong files for an exercise, as a sentence; empty if it can be graded."""
    if wanted is not None:
        return wanted.problem(source)
    return "This exercise consists of a single file, but the submission has several." if split(source) else ""


def place_of(source: bytes, line: int) -> Place:
    """The file and the line in it that a line of the whole text is. Line 0 of a file is its heading."""
    return places_of(source)(line)


def places_of(source: bytes) -> Callable[[int], Place]:
    """`place_of` for many lines of one text."""
    starts = _heading_lines(source)
    lines = [line for line, _ in starts]

    def place(line: int) -> Place:
        at = bisect_right(lines, line) - 1
        return Place("", line) if at < 0 else Place(starts[at][1], line - lines[at])

    return place


def line_of(source: bytes, path: str, line: int) -> int:
    """The line of the whole text that a line of a file is; 0 if there is no such file."""
    if not path:
        return line
    return next((start + line for start, name in _heading_lines(source) if name == path), 0)


def problem_of_path(path: str) -> str:
    """Why a file of an exercise cannot have this name; empty if it can."""
    if len(path) > MAX_PATH or not PATH.fullmatch(path):
        return f"{path[:MAX_PATH]} is not the name of a Python module: use letters, digits and _, folders with /, and .py"
    top = path.split("/")[0].removesuffix(".py")
    if top in sys.stdlib_module_names or top in _OUR_NAMES:
        return f"{path} would hide the module {top} of Python or of a library"
    return ""


def problem_of_paths(paths: Iterable[str]) -> str:
    """Why files cannot exist side by side: twice the same name, apart from case, or a module and a package of one name."""
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(path.casefold().removesuffix(".py"), path)
        if other != path:
            return f"{other} and {path} differ only in case"
    folders = {path.rsplit("/", 1)[0].casefold() for path in seen.values() if "/" in path}
    clash = next((path for name, path in seen.items() if name in folders), "")
    return f"{clash} and the folder {clash.removesuffix('.py')}/ have the same name" if clash else ""


def listed(paths: Iterable[str]) -> str:
    names = list(paths)
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _repeated(source: bytes) -> str:
    names = [name for _, name in _heading_lines(source)]
    return next((name for n, name in enumerate(names) if name in names[:n]), "")


def _heading_lines(source: bytes) -> list[tuple[int, str]]:
    """The line of every heading, and the file that it names."""
    found, line, at = [], 1, 0
    for match in _HEADING.finditer(source):
        line += len(_LINE_END.findall(source, at, match.start()))
        at = match.start()
        found.append((line, match[1].decode("utf-8", "replace")))
    return found
