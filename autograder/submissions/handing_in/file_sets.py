"""Completes submissions of several files: only the student's own files are taken, and carried files are added.

A carried file is the student's own from an earlier exercise of the course: from their best graded submission, the latest of
equally good ones. Without one, or if the assignment says so, the judge uses the reference. What is added is stored with the
submission, so a regrade runs the same code.
"""

from collections.abc import Mapping

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, CarriedFiles, Membership
from autograder.judge.files import FilesError, FileSet, join, problem_of, split
from autograder.library.pages import files_of
from autograder.submissions.models import COUNTING, Grading, Kind


def completed(source: bytes, assignment: Assignment, membership: Membership) -> bytes:
    """The source to store and to grade. Raises Refused if its files do not fit the exercise."""
    files = files_of(assignment.exercise_version.pk)
    own = own_files(source, files)
    problem = problem_of(own, files)
    if problem:
        raise Refused(f"{problem} Nothing was submitted.")
    if files is None or not files.carried:
        return own
    try:
        return own + join(carried_files(files, assignment, membership))
    except FilesError as error:  # in a submission that was accepted before, as a single file
        raise Refused(f"{error} Nothing was submitted.") from error


def own_files(source: bytes, files: FileSet | None) -> bytes:
    """The source without the files that students do not edit here."""
    if files is None:
        return source
    sent = split(source)
    others = {*files.carried, *files.given, *files.support}
    if not others & sent.keys():
        return source
    return join({path: content for path, content in sent.items() if path not in others})


def carried_files(files: FileSet, assignment: Assignment, membership: Membership) -> Mapping[str, bytes]:
    """The student's own carried files, as far as they have them."""
    if assignment.carried_files == CarriedFiles.REFERENCE:
        return {}
    best: dict[str, bytes] = {}
    for slug in dict.fromkeys(files.carried_from.values()):
        counting = Grading.objects.filter(COUNTING, submission__kind=Kind.SUBMIT, submission__membership=membership)
        earlier = counting.filter(
            submission__assignment__course=assignment.course_id, version__exercise__slug=slug, max_score__gt=0
        )
        found = earlier.select_related("submission").order_by("-score", "-submission_id").first()
        if found is not None:
            best[slug] = bytes(found.submission.source)
    carried: dict[str, bytes] = {}
    for path, slug in files.carried_from.items():
        content = _file_of(best[slug], path) if slug in best else None
        if content is not None:
            carried[path] = content
    return carried


def _file_of(source: bytes, path: str) -> bytes | None:
    """The file of an earlier submission that becomes `path`: the whole of a single file, else that of the same path or name."""
    sent = split(source)
    if not sent:
        return source
    name = path.rpartition("/")[2]
    return sent.get(path, next((content for other, content in sent.items() if other.rpartition("/")[2] == name), None))
