"""Names that staff give to answers which no known mistake explains."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0003_staff"),
        ("gradebook", "0003_what_was_frozen_with_points"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="NamedMistake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "answer",
                    models.CharField(
                        help_text="Which answers: a digest of the check and of what was given there.", max_length=32
                    ),
                ),
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
    ]
