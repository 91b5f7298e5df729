"""Indexes that cannot stand in for each other, the constraint that their conditions rest on, and a queue that is tidied often."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

# Every claim leaves a dead row at the head of the queue's index. By PostgreSQL's own measure (a fifth of the table) a table
# that keeps all work for good would be tidied once a term.
OFTEN = {
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_threshold": "2000",
    "autovacuum_analyze_scale_factor": "0",
    "autovacuum_analyze_threshold": "2000",
}


def tidy_often(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        wanted = ", ".join(f"{name} = {value}" for name, value in OFTEN.items())
        editor.execute(f"ALTER TABLE submissions_work SET ({wanted})")


def tidy_as_usual(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE submissions_work RESET ({', '.join(OFTEN)})")


class Migration(migrations.Migration):
    dependencies = [("submissions", "0004_traces")]

    operations = [
        migrations.RemoveIndex("work", "queue_of_a_course"),
        migrations.RemoveIndex("work", "waiting_of_a_student"),
        migrations.RemoveIndex("work", "leases"),
        migrations.AddIndex(
            "work",
            models.Index(
                fields=["course", "lane", "turn", "-place"],
                name="queue_of_a_course",
                condition=Q(ended_at=None, lease_until=None),
            ),
        ),
        migrations.AddIndex(
            "work", models.Index(fields=["membership", "lane"], name="waiting_of_a_student", condition=Q(ended_at=None))
        ),
        migrations.AddIndex(
            "work", models.Index(fields=["lease_until"], name="leases", condition=Q(lease_until__isnull=False))
        ),
        migrations.AddConstraint(
            "work",
            models.CheckConstraint(
                name="times_tell_the_state",
                condition=(
                    Q(state="queued", lease_until=None, ended_at=None)
                    | Q(state="running", lease_until__isnull=False, ended_at=None)
                    | Q(~Q(state__in=("queued", "running")), lease_until=None, ended_at__isnull=False)
                ),
            ),
        ),
        migrations.RunPython(tidy_often, tidy_as_usual),
    ]
