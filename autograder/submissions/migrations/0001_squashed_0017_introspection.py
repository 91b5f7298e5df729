"""The tables of submissions in version 0.2.0, for new databases. Existing ones take the steps that this replaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from autograder.submissions.migrations import _autovacuum


class Migration(migrations.Migration):
    replaces = [
        ("submissions", "0001_initial"),
        ("submissions", "0002_drafts"),
        ("submissions", "0003_staff"),
        ("submissions", "0004_traces"),
        ("submissions", "0005_one_index_for_each_question"),
        ("submissions", "0006_explained_at"),
        ("submissions", "0007_what_grades_are_made_of"),
        ("submissions", "0008_taking_back"),
        ("submissions", "0009_watching"),
        ("submissions", "0010_unexplained_gradings"),
        ("submissions", "0011_scratch_runs"),
        ("submissions", "0012_audit_by_key"),
        ("submissions", "0013_work_lost"),
        ("submissions", "0014_explanation_tries"),
        ("submissions", "0015_field_texts"),
        ("submissions", "0016_request_texts"),
        ("submissions", "0017_introspection"),
    ]

    initial = True

    dependencies = [("courses", "0015_carried_files"), ("library", "0008_several_files")]

    operations = [
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(unique=True)),
                ("counts", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("version", models.CharField(max_length=40)),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("graded", models.PositiveBigIntegerField(default=0)),
                ("sandboxes", models.JSONField(default=dict)),
                ("trouble", models.TextField(blank=True, help_text="Why this worker cannot grade, if it cannot.")),
                ("layers", models.JSONField(blank=True, help_text="The active sandbox layers; null if unknown.", null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500)),
                ("may_lower", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("preview", "Preview"),
                            ("committed", "Applied"),
                            ("discarded", "Discarded"),
                            ("undone", "Undone"),
                        ],
                        default="preview",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="batches", to="courses.course"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Grading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("current", models.BooleanField(default=False, help_text="Whether this grading counts for the submission.")),
                (
                    "why",
                    models.CharField(choices=[("first", "First"), ("retry", "Retry"), ("regrade", "Regrade")], max_length=8),
                ),
                ("seed", models.PositiveBigIntegerField()),
                ("verdict", models.CharField(max_length=10)),
                ("score", models.FloatField()),
                ("max_score", models.FloatField()),
                ("seconds", models.FloatField()),
                ("judge_version", models.CharField(max_length=40)),
                ("libraries", models.JSONField(default=dict)),
                ("report", models.JSONField()),
                ("diagnosis", models.JSONField(default=list)),
                ("traces", models.JSONField(default=list)),
                (
                    "introspection",
                    models.JSONField(
                        blank=True,
                        help_text="Where the file looks at what runs beside it, for staff; null until it was explained.",
                        null=True,
                    ),
                ),
                ("worker", models.CharField(max_length=100)),
                ("graded_at", models.DateTimeField()),
                (
                    "explained_at",
                    models.DateTimeField(blank=True, help_text="When the explanation was completed.", null=True),
                ),
                (
                    "explanation_tries",
                    models.PositiveSmallIntegerField(
                        db_default=0, default=0, help_text="How often a worker started to explain it."
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="gradings", to="library.exerciseversion"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "indexes": [
                    models.Index(condition=models.Q(("explained_at", None)), fields=["graded_at"], name="unexplained")
                ],
            },
        ),
        migrations.CreateModel(
            name="Replacement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "after",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="replacement", to="submissions.grading"
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="replacements", to="submissions.batch"
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="submissions.grading",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("run", "Run"), ("submit", "Submit")], default="submit", max_length=6)),
                ("source", models.BinaryField()),
                ("submitted_at", models.DateTimeField(db_index=True)),
                (
                    "once",
                    models.CharField(
                        blank=True,
                        help_text="Identifies a button press and its content, so that pressing twice submits once.",
                        max_length=32,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="submissions", to="courses.assignment"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="submissions", to="courses.membership"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["assignment", "membership", "-id"], name="history_of_a_student"),
                    models.Index(fields=["membership", "assignment", "kind", "submitted_at"], name="handed_in"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("once", ""), _negated=True), fields=("membership", "once"), name="pressed_once"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="grading",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="gradings", to="submissions.submission"
            ),
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=20)),
                ("data", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="submissions.submission"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["submission", "id"], name="events_of_a_submission")],
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line", models.PositiveIntegerField(blank=True, null=True)),
                ("text", models.TextField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="submissions.submission"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("counter", models.CharField(max_length=40)),
                ("label", models.CharField(blank=True, max_length=100)),
                ("process", models.CharField(blank=True, max_length=100)),
                ("value", models.FloatField(default=0)),
            ],
            options={
                "verbose_name_plural": "tallies",
                "constraints": [models.UniqueConstraint(fields=("counter", "label", "process"), name="one_tally_each")],
            },
        ),
        migrations.CreateModel(
            name="Work",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lane", models.PositiveSmallIntegerField(choices=[(0, "Run"), (1, "Submit"), (2, "Regrade")])),
                ("turn", models.PositiveIntegerField(default=0)),
                ("place", models.PositiveBigIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Internal error"),
                            ("superseded", "Replaced by a newer one"),
                            ("dropped", "Discarded with its preview"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("queued_at", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "lost",
                    models.PositiveSmallIntegerField(
                        db_default=0, default=0, help_text="Number of tries whose worker disappeared."
                    ),
                ),
                (
                    "not_before",
                    models.DateTimeField(
                        blank=True, help_text="Earliest time of the next try, if its worker disappeared.", null=True
                    ),
                ),
                ("worker", models.CharField(blank=True, max_length=100)),
                (
                    "token",
                    models.CharField(
                        blank=True,
                        help_text="The secret of the worker that holds the lease; empty without a lease.",
                        max_length=32,
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("trouble", models.TextField(blank=True, help_text="Why grading failed, for staff.")),
                (
                    "request",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The ID of the request that created it, as in all logs about it.",
                        max_length=64,
                    ),
                ),
                (
                    "traceparent",
                    models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The W3C trace context of its spans, if tracing is on.",
                        max_length=55,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="work",
                        to="submissions.batch",
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="courses.course"),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="courses.membership"
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="work", to="submissions.submission"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="library.exerciseversion"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "queued")), fields=["lane", "turn", "place", "id"], name="the_queue"
                    ),
                    models.Index(
                        condition=models.Q(("ended_at", None), ("lease_until", None)),
                        fields=["course", "lane", "turn", "-place"],
                        name="queue_of_a_course",
                    ),
                    models.Index(
                        condition=models.Q(("ended_at", None)), fields=["membership", "lane"], name="waiting_of_a_student"
                    ),
                    models.Index(condition=models.Q(("lease_until__isnull", False)), fields=["lease_until"], name="leases"),
                    models.Index(condition=models.Q(("state", "failed")), fields=["-ended_at"], name="given_up"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("batch", None)), fields=("submission",), name="one_live_work"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("batch", None), _negated=True),
                        fields=("batch", "submission"),
                        name="once_in_a_batch",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("lease_until", None), ("state", "queued")),
                            models.Q(("ended_at", None), ("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state__in", ("queued", "running")), _negated=True),
                                ("ended_at__isnull", False),
                                ("lease_until", None),
                            ),
                            _connector="OR",
                        ),
                        name="times_tell_the_state",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="grading",
            name="work",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="grading", to="submissions.work"
            ),
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.TextField(blank=True)),
                ("number", models.PositiveIntegerField(default=1)),
                ("saved_at", models.DateTimeField()),
                ("replaced", models.TextField(blank=True, help_text="The text before a submission was restored.")),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="courses.assignment"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="courses.membership"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("assignment", "membership"), name="one_draft_each")],
            },
        ),
        migrations.CreateModel(
            name="ScratchRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.BinaryField(help_text="The content of the editor.")),
                ("calls", models.BinaryField(help_text="The content of the scratch cell.")),
                ("asked_at", models.DateTimeField(db_index=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Internal error: not the student's fault"),
                            ("superseded", "Replaced by a newer one"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=100)),
                (
                    "token",
                    models.CharField(
                        blank=True,
                        help_text="The secret of the worker that holds the lease; empty without a lease.",
                        max_length=32,
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answer",
                    models.JSONField(
                        default=dict,
                        help_text="The result as a `scratch.answer.ScratchAnswer`, which contains only plain text.",
                    ),
                ),
                ("request", models.CharField(blank=True, help_text="The ID of the request that created it.", max_length=64)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="courses.assignment"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scratch_runs", to="courses.membership"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="library.exerciseversion"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["membership", "asked_at"], name="scratch_of_a_student"),
                    models.Index(condition=models.Q(("state", "queued")), fields=["id"], name="scratch_waiting"),
                    models.Index(
                        condition=models.Q(("lease_until__isnull", False)), fields=["lease_until"], name="scratch_leases"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("lease_until", None), ("state", "queued")),
                            models.Q(("ended_at", None), ("lease_until__isnull", False), ("state", "running")),
                            models.Q(
                                models.Q(("state__in", ("queued", "running")), _negated=True),
                                ("ended_at__isnull", False),
                                ("lease_until", None),
                            ),
                            _connector="OR",
                        ),
                        name="scratch_times_tell_the_state",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="grading",
            index=models.Index(fields=["submission", "current", "verdict", "score", "max_score"], name="what_counts"),
        ),
        migrations.AddConstraint(
            model_name="grading",
            constraint=models.UniqueConstraint(
                condition=models.Q(("current", True)), fields=("submission",), name="one_current_grading"
            ),
        ),
        migrations.RunPython(_autovacuum.tidy_often, _autovacuum.tidy_as_usual),
    ]
