"""The tables of pages in version 0.2.0, for new databases. Existing ones take the steps that this replaces."""

from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("web", "0001_asked"),
        ("web", "0002_pending_passwords"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Guess",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("last_at", models.DateTimeField(db_index=True)),
                (
                    "pending",
                    models.PositiveIntegerField(db_default=0, default=0, help_text="passwords that are being checked"),
                ),
                ("pending_at", models.DateTimeField(blank=True, help_text="when the latest of them was begun", null=True)),
                ("known_at", models.DateTimeField(blank=True, help_text="when it was right last", null=True)),
            ],
            options={
                "verbose_name_plural": "guesses",
            },
        ),
        migrations.CreateModel(
            name="Pace",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                (
                    "free_at",
                    models.FloatField(
                        db_index=True, help_text="when nothing of what was asked counts any more, in Unix seconds"
                    ),
                ),
            ],
        ),
    ]
