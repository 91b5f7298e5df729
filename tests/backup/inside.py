"""What is done and looked at inside a site: `python -m tests.backup.inside ACTION ...` prints what it found as JSON."""

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any


def migrate(*targets: str) -> None:
    """To the newest, or each app step by step to one of its migrations, `courses.0002_hidden_meanwhile`."""
    from django.core.management import call_command
    from django.db import connection

    from autograder.backup.schema import stepwise_executor

    if not targets:
        call_command("migrate", verbosity=0)
        return
    executor = stepwise_executor(connection)
    last = dict(executor.loader.graph.leaf_nodes())
    executor.migrate([(app, name or last[app]) for app, _, name in (target.partition(".") for target in targets)])


def migrate_step_by_step() -> None:
    from django.db import connection

    from autograder.backup.schema import stepwise_executor

    executor = stepwise_executor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def tables() -> dict[str, list[str]]:
    """What the database itself says about each table: its columns, constraints, indexes and settings."""
    from django.db import connection

    asked = ON_POSTGRES if connection.vendor == "postgresql" else ON_SQLITE
    found: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        for question in asked:
            cursor.execute(question)
            for table, text in cursor.fetchall():
                found.setdefault(table, []).extend(RULE.findall(text) if text.startswith("CREATE TABLE") else [text])
    return {table: sorted(lines) for table, lines in found.items()}


ON_POSTGRES = (
    """select table_name, concat_ws(' ', column_name, data_type, is_nullable, column_default, is_identity,
           character_maximum_length, numeric_precision, numeric_scale)
       from information_schema.columns where table_schema = 'public'""",
    """select conrelid::regclass::text, concat_ws(' ', case when contype = 'c' then conname end, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'public'::regnamespace""",
    "select tablename, indexname || ' ' || indexdef from pg_indexes where schemaname = 'public'",
    "select relname, reloptions::text from pg_class where relnamespace = 'public'::regnamespace and reloptions is not null",
)
ON_SQLITE = (
    """select t.name, printf('%s %s %s %s %s', c.name, c.type, c."notnull", c.dflt_value, c.pk)
       from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'""",
    """select t.name, printf('%s refers to %s %s', f."from", f."table", f."to")
       from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table'""",
    "select tbl_name, sql from sqlite_schema where type = 'index' and sql is not null",
    "select tbl_name, sql from sqlite_schema where type = 'table'",
)
RULE = re.compile(r"""(?:CONSTRAINT "\w+" )?(?:CHECK|UNIQUE) \([^)]*""")


def fill() -> None:
    """A course in which everything has happened, see `tests.backup.course`."""
    migrate()
    from tests.backup.course import fill

    fill()


def rows() -> dict[str, dict[str, list[Any]]]:
    """Every row of every table that is kept, as the site's own models read it; JSON as it is, all else as Python shows it."""
    from django.apps import apps
    from django.db.models import JSONField

    from autograder.backup.tables import LEFT_OUT

    found = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.label not in LEFT_OUT:
            fields = model._meta.local_concrete_fields
            found[model._meta.label] = {
                str(row.pk): [
                    [field.attname, value if isinstance(field, JSONField) else _shown(value)]
                    for field in fields
                    for value in [getattr(row, field.attname)]
                ]
                for row in model._base_manager.order_by("pk")
            }
    return found


def _shown(value: object) -> str:
    return repr(bytes(value) if isinstance(value, memoryview) else value)


def grades() -> dict[str, Any]:
    """Every student's points in everything, and her total, in every course."""
    from autograder.courses.models import Course
    from autograder.gradebook.grades.sheet import sheet_of
    from autograder.gradebook.grades.totals import plan_of_course, totals_of

    found = {}
    for course in Course.objects.all():
        sheet = sheet_of(course)
        totals = totals_of(sheet, plan_of_course(course, sheet))
        found[course.slug] = {
            student.login: [list(map(str, sheet.points(student))), repr(totals.get(student.membership_id))]
            for student in sheet.students
        }
    return found


def grade_all() -> dict[str, int]:
    """Let a worker do everything that waits, and count what there is then."""
    from autograder.submissions import selectors
    from autograder.submissions.grader import Grader

    grader = Grader()
    try:
        while grader.work_once():
            pass
    finally:
        grader.close()
    return selectors.states()


def hand_in(times: str) -> list[int]:
    """As a student does, so many times."""
    from autograder.courses.models import Course, User
    from autograder.submissions.handing_in.intake import submit

    course, ada = Course.objects.get(slug="autodiff"), User.objects.get(username="ada")
    made = [submit(user=ada, course=course, assignment="value-engine", source=b"x = 1") for _ in range(int(times))]
    return [one.pk for one in made]


def new_rows() -> list[int]:
    """The numbers that new rows get: none that is taken."""
    from autograder.courses.models import Course, User

    return [Course.objects.create(slug="next", title="Next").pk, User.objects.create_user("next").pk]


def old_course() -> None:
    """A little of everything, in tables as they once were, by their models of then."""
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader
    from django.utils import timezone

    loader = MigrationLoader(connection)
    apps = loader.project_state(sorted(loader.applied_migrations)).apps
    make = {name: apps.get_model(name)._base_manager.create for name in (
        *("library.Exercise", "library.ExerciseVersion", "courses.User", "courses.Course", "courses.Membership"),
        *("courses.Assignment", "submissions.Submission", "submissions.Work"),
    )}  # fmt: skip
    exercise = make["library.Exercise"](slug="value-engine")
    version = make["library.ExerciseVersion"](
        exercise=exercise,
        hash="0" * 16,
        title="Old",
        unit="Old",
        kind="engine",
        profile="python",
        points=10.0,
        archive=b"\0",
    )
    course, user = make["courses.Course"](slug="old", title="Old"), make["courses.User"](username="ada")
    member = make["courses.Membership"](course=course, user=user)
    assignment = make["courses.Assignment"](course=course, slug="one", version=version, title="One", points=10)
    submission = make["submissions.Submission"](
        assignment=assignment, membership=member, source=b"x", submitted_at=timezone.now()
    )
    make["submissions.Work"](
        submission=submission, version=version, course=course, membership=member, lane=1, queued_at=timezone.now()
    )


def large_course(students: str, assignments: str) -> int:
    """Everybody has handed in everything, and has a report of it; how many rows that is."""
    from django.apps import apps
    from django.db import connection

    from tests.gradebook.large import large_course

    large_course(int(students), int(assignments), gradings=1)
    reports = _reports()
    with connection.cursor() as cursor:
        for n, (source, report) in enumerate(reports):
            every = "WHERE id %% %s = %s"
            cursor.execute(f"UPDATE submissions_submission SET source = %s {every}", [source, len(reports), n])
            cursor.execute(f"UPDATE submissions_grading SET report = %s {every}", [report, len(reports), n])
    return sum(model._base_manager.count() for model in apps.get_models(include_auto_created=True))


def _reports() -> list[tuple[bytes, str]]:
    """Of many different submissions, so that a file of them is no smaller than of real ones."""
    import msgspec

    from autograder.judge import pack
    from autograder.judge.grade import Judge
    from autograder.library.sandboxes import backend
    from tests.conftest import EXERCISES

    exercise = pack.load(pack.find(EXERCISES, "value-engine"))
    sources = [exercise.solution, *exercise.wrong.values()]
    with Judge(backend()) as judge:
        return [
            (source + f"# {seed}\n".encode(), msgspec.json.encode(judge.grade(exercise, source, seed)).decode())
            for seed in range(8)
            for source in sources
        ]


def size() -> int:
    """Bytes of the database, after what nobody sees any more is gone."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM FULL" if connection.vendor == "postgresql" else "VACUUM")
        pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        whole = "SELECT pg_database_size(current_database())"
        cursor.execute(whole if connection.vendor == "postgresql" else pages)
        return int(cursor.fetchone()[0])


def empty() -> bool:
    """Whether nobody has left anything here."""
    from autograder.courses.models import Course, User
    from autograder.submissions.models import Submission

    return not (User.objects.exists() or Course.objects.exists() or Submission.objects.exists())


ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action
    for action in (
        *(migrate, migrate_step_by_step, tables, fill, rows, grades, grade_all, hand_in, new_rows, old_course),
        *(large_course, size, empty),
    )
}  # fmt: skip

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    import django

    django.setup()
    print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:])), flush=True)
