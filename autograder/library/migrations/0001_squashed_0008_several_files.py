"""The tables of exercises in version 0.2.0, for new databases. Existing ones take the steps that this replaces."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("library", "0001_initial"),
        ("library", "0002_pages"),
        ("library", "0003_summary_as_html"),
        ("library", "0004_difficulty_and_minutes"),
        ("library", "0005_example_calls"),
        ("library", "0006_minutes_text"),
        ("library", "0007_unit_pages"),
        ("library", "0008_several_files"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Exercise",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="UnitPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200, unique=True)),
                ("slug", models.SlugField(max_length=200, unique=True)),
                ("text", models.TextField(help_text="Clean HTML.")),
                ("math", models.BooleanField(help_text="Whether the text has formulas.")),
            ],
        ),
        migrations.CreateModel(
            name="ExerciseVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("hash", models.CharField(max_length=16)),
                ("title", models.CharField(max_length=200)),
                ("unit", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=20)),
                ("profile", models.CharField(max_length=20)),
                ("points", models.FloatField()),
                ("archive", models.BinaryField()),
                ("loaded_at", models.DateTimeField(auto_now_add=True)),
                (
                    "exercise",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="library.exercise"
                    ),
                ),
            ],
            options={
                "get_latest_by": "id",
                "constraints": [models.UniqueConstraint(fields=("exercise", "hash"), name="one_row_for_a_version")],
            },
        ),
        migrations.CreateModel(
            name="VersionPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_by", models.PositiveSmallIntegerField()),
                ("summary", models.TextField(help_text="Clean HTML: the first sentence of the statement.")),
                ("statement", models.TextField(help_text="Clean HTML.")),
                ("starter", models.TextField()),
                (
                    "file_name",
                    models.CharField(default="", help_text="What the author calls the file; may be empty.", max_length=200),
                ),
                (
                    "files",
                    models.JSONField(
                        help_text="The files of an exercise of several files; null for a single one.", null=True
                    ),
                ),
                ("calls", models.TextField(blank=True, default="", help_text="What the scratch cell begins with.")),
                ("math", models.BooleanField(help_text="Whether the statement has formulas.")),
                ("checks", models.JSONField()),
                ("difficulty", models.PositiveSmallIntegerField(help_text="1 to 5.", null=True)),
                (
                    "minutes",
                    models.PositiveSmallIntegerField(help_text="The author's estimate of the time needed.", null=True),
                ),
                ("concepts", models.JSONField(default=list, help_text="What the exercise teaches, in a few words each.")),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="page", to="library.exerciseversion"
                    ),
                ),
            ],
        ),
    ]
