"""Takes drafts out of the site and into it: as a zip, and in step with a folder, such as one that is kept in git.

Files cross unchanged, byte for byte.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from autograder.authoring import drafts, paths, settings_file
from autograder.authoring.models import Draft
from autograder.courses import rights
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Course
from autograder.courses.rights import Acting, Right
from autograder.judge.files import FilesError
from autograder.judge.pack import content_of
from autograder.library.uploads import is_ignored, unzip

KINDS = dict.fromkeys((".py", ".md", ".toml"), paths.MAX_ALL)
STATE = ".gradus-sync.json"  # in the folder: what both sides had when they were last in step
Files = Mapping[str, str]


def zipped(draft: Draft) -> bytes:
    """The files of a draft in a folder with its name. The same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in drafts.texts_of(draft).items():
            archive.writestr(zipfile.ZipInfo(f"{draft.slug}/{path}"), text.encode(), zipfile.ZIP_DEFLATED)
    return data.getvalue()


def files_in(data: bytes) -> dict[str, str]:
    """The files of an exercise in a zip, whose only folder may be that of the exercise. Raises `AtField`."""
    try:
        sent = [file for file in unzip(data, "The zip", KINDS) if not is_ignored(file.name)]
    except FilesError as error:
        raise AtField("archive", str(error)) from error
    tops = {file.name.partition("/")[0] for file in sent}
    shared = f"{tops.pop()}/" if len(tops) == 1 and all("/" in file.name for file in sent) else ""
    found: dict[str, str] = {}
    for file in sent:
        path = file.name.removeprefix(shared)
        found[path] = _text(path, file.content)
    return _checked(found)


def import_zip(course: Course, data: bytes, slug: str, *, by: Acting) -> Draft:
    """A new draft with the files of a zip."""
    files = files_in(data)
    return drafts.create(course, slug, title_of(files, slug), files, by=by)


def title_of(files: Files, slug: str) -> str:
    """The title that `exercise.toml` gives, or else the slug."""
    try:
        return str(settings_file.values_of(files[settings_file.PATH]).get("title") or slug)[:200]
    except (Refused, KeyError):
        return slug


def _checked(files: Files) -> dict[str, str]:
    try:
        for path in files:
            paths.validate(path, [other for other in files if other != path])
    except AtField as error:
        raise AtField("archive", f"{path}: {error.message}") from error
    missing = [path for path in paths.REQUIRED if path not in files]
    if missing:
        raise AtField("archive", f"An exercise needs {missing[0]}, which the zip does not have.")
    if len(files) > paths.MAX_FILES or sum(map(len, files.values())) > paths.MAX_ALL:
        raise AtField("archive", "The zip has more than a draft can hold.")
    return dict(files)


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise AtField("archive", f"{path} could not be read as text. Save it as UTF-8.") from None
    if "\0" in text or len(text) > paths.MAX_FILE:
        raise AtField("archive", f"{path} is too long, or contains a NUL character.")
    return text


# -- in step with a folder ---------------------------------------------------------------------------------------------


@dataclass
class Sync:
    """What brings a folder and a draft into step, by path. A text of None stands for a file that is removed."""

    to_folder: dict[str, str | None] = field(default_factory=dict)
    to_draft: dict[str, str | None] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)  # changed on both sides since they were in step


def compared(folder: Files, draft: Files, before: Mapping[str, str], prefer: str = "") -> Sync:
    """`before` has the hash of each file when both sides were last in step. `prefer` decides conflicts: `folder` or `draft`."""
    found = Sync()
    for path in sorted({*folder, *draft}):
        here, there = folder.get(path), draft.get(path)
        if here == there:
            continue
        unchanged_here, unchanged_there = (_hash(text) == before.get(path, "") for text in (here, there))
        if unchanged_here or (prefer == "draft" and not unchanged_there):
            found.to_folder[path] = there
        elif unchanged_there or prefer == "folder":
            found.to_draft[path] = here
        else:
            found.conflicts.append(path)
    return found


def sync(folder: Path, course: Course, prefer: str = "", *, by: Acting) -> Sync:
    """Bring a folder and the draft of its name into step. A conflict leaves both sides of that file as they are."""
    rights.require(by, Right.SET_UP, course)
    draft = course.drafts.filter(slug=folder.name).select_related("course").first()
    here = files_of(folder) if folder.is_dir() else {}
    if draft is None and not here:
        raise Refused(f"There is neither a folder {folder} nor a draft {folder.name} in {course.title}.")
    if draft is None:
        draft, there, before = drafts.create(course, folder.name, title_of(here, folder.name), here, by=by), here, {}
    else:
        there, before = drafts.texts_of(draft), _state_of(folder)
    found = compared(here, there, before, prefer)
    if found.to_draft:
        drafts.change_files(draft, found.to_draft, by=by)
    for path, text in found.to_folder.items():
        _write(folder / path, text)
    _keep_state(folder, files_of(folder), found.conflicts, before)
    return found


def files_of(folder: Path) -> dict[str, str]:
    """The files of an exercise's folder, each of which a draft can hold."""
    found: dict[str, str] = {}
    for path in content_of(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix in KINDS and not path.is_symlink():
            paths.validate(name, list(found))
            found[name] = _text(name, path.read_bytes())
    return found


def _state_of(folder: Path) -> dict[str, str]:
    try:
        state = json.loads((folder / STATE).read_text())
    except (OSError, ValueError):
        return {}
    return {str(path): str(known) for path, known in state.items()} if isinstance(state, dict) else {}


def _keep_state(folder: Path, files: Files, conflicts: list[str], before: Mapping[str, str]) -> None:
    state = {path: _hash(text) for path, text in files.items() if path not in conflicts}
    state |= {path: before[path] for path in conflicts if path in before}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STATE).write_text(json.dumps(state, indent=1, sort_keys=True) + "\n")


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def _hash(text: str | None) -> str:
    return "" if text is None else sha256(text.encode()).hexdigest()[:16]
