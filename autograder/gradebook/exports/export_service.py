"""Exports grades: reports all problems first, and records the export in the audit log."""

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Course
from autograder.courses.rights import Acting, Right
from autograder.gradebook.exports.base import Export, Missing, Options, RequiredOption, Unmatched
from autograder.gradebook.grades.sheet import GradeSheet

MAX_NAMED = 5


def export(
    to: Export, sheet: GradeSheet, options: Options, *, course: Course, by: Acting, skip_unmatched: bool = False
) -> bytes:
    """Return the file. If students cannot be matched, it is refused unless `skip_unmatched`."""
    rights.require(by, Right.SEE, course)
    refuse_at_once(to, sheet, options)
    left_out = to.unmatched(sheet, options)
    if left_out and not skip_unmatched:
        raise Refused(_sentence(left_out))
    leaving = as_written(sheet.without([unmatched.student for unmatched in left_out]), options)
    if not leaving.students:
        raise Refused("No students can be matched, so there is nothing to export.")
    to.refuse(leaving, options)
    data = to.write(leaving, options)
    audit.record(
        "grades-exported",
        course,
        actor=by.user,
        course=course,
        format=to.name,
        assignments=[column.slug for column in sheet.columns],
        students=len(leaving.students),
        left_out=len(left_out),
    )
    return data


def as_written(sheet: GradeSheet, options: Options) -> GradeSheet:
    """Return the sheet with the values that are written for missing work."""
    return sheet.with_zeros(options.now) if options.missing is Missing.ZERO else sheet


def remarks_on(to: Export, sheet: GradeSheet, options: Options) -> list[str]:
    """Return notes to show before the export: about the format, missing work, unmarked work and excused students."""
    missing = len(sheet.missing(options.now))
    excused = sum(cell.excused for cell in sheet.cells.values())
    remarks = to.remarks(sheet, options)
    if missing:
        written = "0 points" if options.missing is Missing.ZERO else "an empty cell"
        remarks = [*remarks, f"{_count(missing, 'grade')} past due and missing, so the file contains {written}"]
    if unmarked := sum(cell.unmarked for cell in sheet.cells.values()):
        remarks = [*remarks, f"{_count(unmarked, 'grade')} not marked yet: missing points count as 0 in the file"]
    if excused:
        written = f"written as {to.excused}" if to.excused else f"empty in the file; excuse the students in {to.label} too"
        remarks = [*remarks, f"{_count(excused, 'grade')} excused: {written}"]
    return remarks


def _count(number: int, what: str) -> str:
    return f"1 {what} is" if number == 1 else f"{number} {what}s are"


def refuse_at_once(to: Export, sheet: GradeSheet, options: Options) -> None:
    """Refuse an export for reasons that do not depend on a single student."""
    given = {
        RequiredOption.TEMPLATE: options.template,
        RequiredOption.CLASS: options.class_id,
        RequiredOption.GRADING_PERIOD: options.grading_period,
    }
    missing = [need for need in to.needs if not given[need]]
    if missing:
        raise Refused(f"{to.label} needs {' and '.join(missing)}.")
    if to.identities:
        to.identity(options)
    if not sheet.students:
        raise Refused(f"There are no students in {sheet.title}.")
    if not sheet.columns:
        raise Refused(f"There are no assignments in {sheet.title}.")


def file_name(to: Export, sheet: GradeSheet) -> str:
    return f"{sheet.slug}-{to.name}.{to.extension}"


def _sentence(left_out: list[Unmatched]) -> str:
    named = "; ".join(f"{unmatched.student.login} {unmatched.reason}" for unmatched in left_out[:MAX_NAMED])
    more = f"; and {len(left_out) - MAX_NAMED} more" if len(left_out) > MAX_NAMED else ""
    count = "1 student" if len(left_out) == 1 else f"{len(left_out)} students"
    return f"{count} cannot be matched: {named}{more}. Nothing was written."
