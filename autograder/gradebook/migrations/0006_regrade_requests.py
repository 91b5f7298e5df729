import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gradebook", "0005_excuses"),
        ("submissions", "0012_audit_by_key"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RegradeRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("check_id", models.CharField(blank=True, help_text="Empty: the verdict as a whole.", max_length=200)),
                ("check_title", models.CharField(blank=True, help_text="As the student read it.", max_length=200)),
                ("text", models.TextField()),
                ("asked_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("withdrawn", "Withdrawn"),
                            ("declined", "Verdict stands"),
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
                        help_text="The verdict that counted when the student wrote.",
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
    ]
