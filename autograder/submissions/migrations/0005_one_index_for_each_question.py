"""Indexes that cannot stand in for each other, the constraint that their conditions rest on, and a queue that is tidied often."""

from django.db import migrations, models
from django.db.models import Q

from autograder.submissions.migrations import _autovacuum


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
        migrations.RunPython(_autovacuum.tidy_often, _autovacuum.tidy_as_usual),
    ]
