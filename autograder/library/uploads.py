"""Turns what somebody sends (files, a folder or a zip) into the source of a submission, or refuses it with a sentence.

Files are matched by name with those that the exercise asks for. Nothing is extracted to disk, and no more is read of an archive
than the files that are wanted.
"""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.judge.files import FilesError, FileSet, join, listed, split
from autograder.library.notebooks import document
from autograder.library.notebooks.submission import code_of
from sandbox.wire import Limits

MAX_FILES = 1_000  # in a folder or an archive
MAX_BYTES = Limits().source_bytes
MAX_ZIP_BYTES = 4 << 20
MAX_NOTEBOOK_BYTES = document.MAX_BYTES
MAX_UNPACKED = {".py": 4 * MAX_BYTES, document.SUFFIX: 2 * MAX_NOTEBOOK_BYTES}  # read of an archive, by the kind of file
# What zipfile raises for files that are damaged, encrypted or of another kind; NotImplementedError for an unknown compression.
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
MAX_NAMED = 3  # files named in a note
NAME_KEPT = 80
_IGNORED = ("__MACOSX", "__pycache__")
_SUFFIXES = (".py", document.SUFFIX)
_DRIVE = re.compile(r"^[A-Za-z]:")


@dataclass(frozen=True)
class SentFile:
    """A file as it was sent. `name` may have folders."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Upload:
    """What an upload amounts to. `notes` say what was not used."""

    source: bytes
    notes: tuple[str, ...] = ()


def source_of(
    sent: Sequence[SentFile], wanted: FileSet | None, file_name: str, current: bytes = b"", exercise: str = ""
) -> Upload:
    """The source that these files make up. Files of `current` that were not sent stay as they are.

    `wanted` is None for an exercise of a single file, which is called `file_name`. A notebook that was downloaded from another
    exercise than the one with the slug `exercise` is refused.
    """
    files = [file for file in sent if not is_ignored(file.name)]
    if not files:
        raise FilesError("The upload contains no file.")
    if wanted is None:
        return _single(files, file_name, exercise)
    files, notes = _without_notebooks(files, wanted, exercise)
    upload = _several(files, wanted, current)
    return replace(upload, notes=(*notes, *upload.notes))


def read_limit(name: str) -> int:
    """How much of a file to read: a byte more than is allowed, so that too large a file is noticed."""
    return (MAX_NOTEBOOK_BYTES if is_notebook(name) else MAX_BYTES) + 1


def is_notebook(name: str) -> bool:
    return name.endswith(document.SUFFIX)


def unzip(data: bytes, name: str = "The zip", kinds: Mapping[str, int] = MAX_UNPACKED) -> list[SentFile]:
    """The files of an archive: all names, but only the content of files of these kinds, and of each no more than can be
    graded. `kinds` maps the endings of their names to the number of bytes that all of them may have."""
    if len(data) > MAX_ZIP_BYTES:
        raise FilesError(f"{name} is {len(data):,} bytes; the limit is {MAX_ZIP_BYTES:,} bytes.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _members(archive, name, kinds)
    except UNREADABLE as error:
        if "password" in str(error) or "encrypted" in str(error):
            raise FilesError(f"{name} is encrypted. Send it without a password.") from error
        raise FilesError(
            f"{name} cannot be read as a zip archive. Create it again, or send the files themselves."
        ) from error


def zipped(source: bytes, extra: Mapping[str, bytes] | None = None) -> bytes:
    """The files of a joined source, and others, as a zip archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**(extra or {}), **split(source)}.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return data.getvalue()


def from_path(path: Path) -> list[SentFile]:
    """A file, the files of a folder, or those of a zip archive on this machine. Links are not followed."""
    if path.is_dir():
        return _folder(path)
    with path.open("rb") as file:
        data = file.read(MAX_ZIP_BYTES + 1)
    return unzip(data, path.name) if path.suffix == ".zip" else [SentFile(path.name, data[: read_limit(path.name)])]


def _members(archive: zipfile.ZipFile, name: str, kinds: Mapping[str, int]) -> list[SentFile]:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MAX_FILES:
        raise FilesError(f"{name} contains {len(members):,} files; the limit is {MAX_FILES:,}. Send only your own files.")
    seen: set[str] = set()
    files, left = [], dict(kinds)
    for member in members:
        path = _safe(member.filename, name)
        if stat.S_ISLNK(member.external_attr >> 16):
            raise FilesError(f"{name} contains the link {_short(path)}. Replace it by the file that it points to.")
        if path in seen:
            raise FilesError(f"{name} contains {_short(path)} twice.")
        seen.add(path)
        content = b""
        if path.endswith(tuple(kinds)) and not is_ignored(path):
            kind = PurePosixPath(path).suffix
            with archive.open(member) as opened:
                content = opened.read(min(read_limit(path), left[kind]))
            left[kind] -= len(content)
            if left[kind] <= 0:
                what = {".py": "Python files", document.SUFFIX: "notebooks"}.get(kind, f"{kind} files")
                raise FilesError(f"{name} contains more than {kinds[kind]:,} bytes of {what}.")
        files.append(SentFile(path, content))
    return files


def _folder(folder: Path) -> list[SentFile]:
    files: list[SentFile] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_ignored(name) or path.is_dir():
            continue
        if len(files) == MAX_FILES:
            raise FilesError(
                f"{folder} contains more than {MAX_FILES:,} files. Name the files themselves, or a smaller folder."
            )
        if path.is_symlink():
            raise FilesError(f"{folder} contains the link {_short(name)}. Replace it by the file that it points to.")
        content = b""
        if path.suffix in _SUFFIXES:
            with path.open("rb") as file:
                content = file.read(read_limit(path.name))
        files.append(SentFile(name, content))
    return files


def _safe(name: str, archive: str) -> str:
    """The name of a member, if it stays within the archive."""
    path = name.replace("\\", "/")
    parts = path.split("/")
    if path.startswith("/") or _DRIVE.match(path) or ".." in parts or "\0" in name or not all(parts):
        raise FilesError(f"{archive} contains a file with the name {_short(name)}, which leads out of it. Nothing was read.")
    return path


def _single(files: Sequence[SentFile], file_name: str, exercise: str) -> Upload:
    python = [file for file in files if file.name.endswith(_SUFFIXES)]
    stem = file_name.removesuffix(".py")
    named = [file for file in python if PurePosixPath(file.name).name in (file_name, f"{stem}{document.SUFFIX}")]
    chosen = python if len(python) == 1 else named
    if not chosen:
        found = f" It contains {_named(file.name for file in files)}." if files else ""
        raise FilesError(f"The upload contains no file {file_name}.{found}")
    if len(chosen) > 1:
        raise FilesError(
            f"The upload contains several files {file_name}: {_named(file.name for file in chosen)}. Send one of them."
        )
    unused = _unused(file.name for file in files if file is not chosen[0])
    if is_notebook(chosen[0].name):
        code = code_of(chosen[0].content, _short(chosen[0].name), exercise, [file_name])
        content, unused = _checked(replace(chosen[0], content=next(iter(code.files.values())))), (*code.notes, *unused)
    else:
        content = _checked(chosen[0])
    if split(content):
        raise FilesError(f"{_short(chosen[0].name)} contains several files, but this exercise consists of a single one.")
    return Upload(content, unused)


def _without_notebooks(files: Sequence[SentFile], wanted: FileSet, exercise: str) -> tuple[list[SentFile], tuple[str, ...]]:
    """The files with those in the marked cells of notebooks instead of the notebooks, and what was not used of these."""
    found: list[SentFile] = []
    notes: tuple[str, ...] = ()
    others = any(file.name.endswith(".py") for file in files)
    for file in files:
        if not is_notebook(file.name):
            found.append(file)
            continue
        code = code_of(file.content, _short(file.name), exercise, wanted.submitted, wanted.may_add)
        notes += code.notes
        whole = code.files.get("")
        if whole is None:
            found += [SentFile(path, content) for path, content in code.files.items()]
        elif split(whole) or others:
            found.append(SentFile(file.name, whole))
        else:
            raise FilesError(
                f"{_short(file.name)} does not say which cell belongs to which file. Download the notebook of the exercise and "
                "copy your code into its cells."
            )
    return found, notes


def _several(files: Sequence[SentFile], wanted: FileSet, current: bytes) -> Upload:
    if len(files) == 1 and split(files[0].content):  # a download of all files in one text
        own = split(_checked(files[0]))
        return _merged({path: SentFile(path, content) for path, content in own.items()}, [], wanted, current)
    known = (*wanted.submitted, *wanted.given, *wanted.support)
    found: dict[str, SentFile] = {}
    unused: list[str] = []
    for file in files:
        path = _match(file.name, known, files) or _added(file.name, wanted)
        if path is None:
            unused.append(file.name)
        elif path in found:
            raise FilesError(f"Both {_short(found[path].name)} and {_short(file.name)} can be {path}. Send one of them.")
        else:
            found[path] = file
    python = [file for file in files if file.name.endswith(".py")]
    if len(python) == len(wanted.editable) == 1 and not found:  # one file for one file, under another name
        (only,), (path,) = python, wanted.editable
        upload = _merged({path: only}, [name for name in unused if name != only.name], wanted, current)
        return replace(upload, notes=(f"{_short(only.name)} is used as {path}.", *upload.notes))
    if not any(path in wanted.submitted or wanted.may_add(path) for path in found):
        raise FilesError(
            f"The upload contains none of the files {listed(wanted.editable)}. It contains {_named(f.name for f in files)}."
        )
    return _merged(found, unused, wanted, current)


def _merged(found: dict[str, SentFile], unused: list[str], wanted: FileSet, current: bytes) -> Upload:
    merged = split(current)
    own = (*wanted.submitted, *(path for path in found if wanted.may_add(path)))
    for path in own:
        if path in found:
            merged[path] = _checked(found[path])
    ours = [
        path for path in (*wanted.given, *wanted.support) if path in found and _differs(found[path], wanted.given.get(path))
    ]
    notes = [f"{path} is part of the exercise, so your version of it is not used." for path in ours]
    unused += [path for path in found if path not in wanted.paths and path not in own]
    added = sorted(path for path in merged if wanted.may_add(path))
    ordered = {path: merged[path] for path in (*wanted.submitted, *added) if path in merged}
    source = join(ordered)
    if len(source) > MAX_BYTES:
        raise FilesError(f"The files have {len(source):,} bytes together; the limit is {MAX_BYTES:,} bytes.")
    return Upload(source, (*notes, *_unused(unused)))


def _match(name: str, known: Iterable[str], files: Sequence[SentFile]) -> str | None:
    """The file of the exercise that a sent file is: the one whose whole path it ends with or, if its name exists only once on
    both sides, the one of that name."""
    inside = [path for path in known if name == path or name.endswith(f"/{path}")]
    if inside:
        return max(inside, key=len)
    base = PurePosixPath(name).name
    same = [path for path in known if PurePosixPath(path).name == base]
    alone = sum(PurePosixPath(file.name).name == base for file in files) == 1
    return same[0] if len(same) == 1 and alone else None


def _added(name: str, wanted: FileSet) -> str | None:
    """The path of a file of the student's own, from the longest end of its name that may be added."""
    parts = PurePosixPath(name).parts
    return next((path for n in range(len(parts)) if wanted.may_add(path := "/".join(parts[n:]))), None)


def _differs(sent: SentFile, given: bytes | None) -> bool:
    return given is None or sent.content.split() != given.split()


def _checked(file: SentFile) -> bytes:
    """The content of a file that is used: text of a size that can be graded."""
    if len(file.content) > MAX_BYTES:
        raise FilesError(f"{_short(file.name)} is larger than {MAX_BYTES:,} bytes, the maximum size of a submission.")
    try:
        file.content.decode()
    except UnicodeDecodeError:
        raise FilesError(f"{_short(file.name)} could not be read as text. Save it as UTF-8 and send it again.") from None
    return file.content


def is_ignored(name: str) -> bool:
    """Whether a file was not written by a person: hidden files, caches, and what macOS adds to archives."""
    return any(part in _IGNORED or part.startswith(".") for part in name.split("/"))


def _unused(names: Iterable[str]) -> tuple[str, ...]:
    left = list(names)
    return (f"Not used: {_named(left)}.",) if left else ()


def _named(names: Iterable[str]) -> str:
    found = list(names)
    more = len(found) - MAX_NAMED
    return f"{', '.join(map(_short, found[:MAX_NAMED]))} and {more:,} more" if more > 0 else listed(map(_short, found))


def _short(name: str) -> str:
    """A name that was sent, printable and not too long."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)
    return shown if len(shown) <= NAME_KEPT else f"...{shown[-NAME_KEPT:]}"
