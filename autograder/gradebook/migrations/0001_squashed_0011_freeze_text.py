"""The tables of grades in version 0.2.0, for new databases. Existing ones take the steps that this replaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("gradebook", "0001_initial"),
        ("gradebook", "0002_staff"),
        ("gradebook", "0003_what_was_frozen_with_points"),
        ("gradebook", "0004_named_mistakes"),
        ("gradebook", "0005_excuses"),
        ("gradebook", "0006_regrade_requests"),
        ("gradebook", "0007_score_imports"),
        ("gradebook", "0008_marks"),
        ("gradebook", "0009_regrade_request_labels"),
        ("gradebook", "0010_field_texts"),
        ("gradebook", "0011_freeze_text"),
    ]

    initial = True

    dependencies = [("courses", "0015_carried_files"), ("submissions", "0017_introspection")]

    operations = [
        migrations.CreateModel(
            name="Marking",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("remark", models.CharField(blank=True, help_text="Shown to the student.", max_length=2000)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("replaced_at", models.DateTimeField(blank=True, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="markings", to="submissions.submission"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("replaced_at", None)), fields=("submission",), name="one_marking_stands"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Mark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("points", models.DecimalField(decimal_places=2, max_digits=7)),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="marks", to="courses.criterion"
                    ),
                ),
                (
                    "marking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="marks", to="gradebook.marking"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(fields=("marking", "criterion"), name="one_mark_for_a_criterion"),
                    models.CheckConstraint(condition=models.Q(("points__gte", 0)), name="mark_is_not_negative"),
                ],
            },
        ),
        migrations.CreateModel(
            name="NamedMistake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answer", models.CharField(help_text="A digest of the check and the answer.", max_length=32)),
                ("check_id", models.CharField(max_length=200)),
                ("name", models.CharField(max_length=80)),
                ("words", models.CharField(blank=True, max_length=300)),
                ("named_at", models.DateTimeField(auto_now_add=True)),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="named_mistakes", to="courses.assignment"
                    ),
                ),
                (
                    "named_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "taken_back_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("taken_back_at", None)),
                        fields=("assignment", "answer"),
                        name="one_name_for_an_answer",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Override",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("points", models.DecimalField(decimal_places=2, max_digits=7)),
                ("reason", models.CharField(max_length=500)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="overrides", to="courses.assignment"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="overrides", to="courses.membership"
                    ),
                ),
                (
                    "replaced",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="gradebook.override",
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("undone_at", None)),
                        fields=("assignment", "membership"),
                        name="one_override_stands",
                    ),
                    models.CheckConstraint(condition=models.Q(("points__gte", 0)), name="override_is_not_negative"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RegradeRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "check_id",
                    models.CharField(blank=True, help_text="Empty: the request is about the whole verdict.", max_length=200),
                ),
                ("check_title", models.CharField(blank=True, help_text="The title that the student saw.", max_length=200)),
                ("text", models.TextField()),
                ("asked_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("withdrawn", "Withdrawn"),
                            ("declined", "Result kept"),
                            ("regrade", "Graded again"),
                            ("points", "Points set by hand"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("answer", models.TextField(blank=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="regrade_requests",
                        to="submissions.batch",
                    ),
                ),
                (
                    "grading",
                    models.ForeignKey(
                        help_text="The verdict that counted when the request was made.",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="submissions.grading",
                    ),
                ),
                (
                    "override",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="regrade_requests",
                        to="gradebook.override",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="regrade_requests",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")), fields=("submission",), name="one_open_request"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("state", "open")),
                            models.Q(models.Q(("state", "open"), _negated=True), ("ended_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="request_is_open_until_it_ends",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ScoreImport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file_name", models.CharField(max_length=100)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="score_imports", to="courses.course"
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
            },
        ),
        migrations.AddField(
            model_name="override",
            name="score_import",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="scores",
                to="gradebook.scoreimport",
            ),
        ),
        migrations.CreateModel(
            name="UnitRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("unit", models.CharField(max_length=200)),
                (
                    "weight",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        help_text="Empty: the unit counts by its points.",
                        max_digits=6,
                        null=True,
                    ),
                ),
                ("drop_lowest", models.PositiveSmallIntegerField(default=0)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="unit_rules", to="courses.course"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("course", "unit"), name="one_rule_for_a_unit")],
            },
        ),
        migrations.CreateModel(
            name="Excuse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="excuses", to="courses.assignment"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="excuses", to="courses.membership"
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("withdrawn_at", None)),
                        fields=("assignment", "membership"),
                        name="one_excuse_stands",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Freeze",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("points", models.JSONField(help_text="Points by membership and assignment, as text or null.")),
                (
                    "basis",
                    models.JSONField(
                        blank=True,
                        help_text="Everything else that totals depend on: maximum points, due dates and unit rules.",
                        null=True,
                    ),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="freezes", to="courses.course"
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)), fields=("course",), name="one_freeze_stands"
                    )
                ],
            },
        ),
    ]
