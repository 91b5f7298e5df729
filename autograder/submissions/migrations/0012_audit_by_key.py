import re

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SUBMISSION = re.compile(r"#(\d+) ")
BATCH = re.compile(r"regrade (\d+) of ")


def find_keys(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of entries that knew what they are about by its name alone. What was renamed since stays without a key."""
    entries = apps.get_model("courses", "AuditEntry").objects.exclude(course=None)
    submissions = apps.get_model("submissions", "Submission").objects
    for course in apps.get_model("courses", "Course").objects.all():
        members = {f"{login} in {course.slug}": pk for pk, login in course.memberships.values_list("pk", "user__username")}
        assignments = dict(course.assignments.values_list("slug", "pk"))
        for entry in entries.filter(course=course).iterator():
            entry.membership_id = members.get(entry.subject)
            entry.assignment_id = assignments.get(
                entry.details.get("assignment") or entry.subject.removeprefix(f"{course.slug}/")
            )
            submission, batch = SUBMISSION.match(entry.subject), BATCH.match(entry.subject)
            found = submission and submissions.filter(pk=submission[1], assignment__course=course).first()
            if found:
                entry.submission_number = found.pk
                entry.membership_id, entry.assignment_id = found.membership_id, found.assignment_id
            entry.batch_number = int(batch[1]) if batch else entry.details.get("batch")
            entry.save(update_fields=("membership", "assignment", "submission_number", "batch_number"))


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0007_audit_by_key"),
        ("submissions", "0011_scratch_runs"),
    ]

    operations = [migrations.RunPython(find_keys, migrations.RunPython.noop)]
