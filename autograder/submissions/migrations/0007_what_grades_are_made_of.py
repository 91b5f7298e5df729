"""Indexes from which a gradebook is read without stepping through sources and reports."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0006_explained_at")]

    operations = [
        migrations.AddIndex(
            "grading", models.Index(fields=["submission", "current", "verdict", "score", "max_score"], name="what_counts")
        ),
        migrations.AddIndex(
            "submission", models.Index(fields=["membership", "assignment", "kind", "submitted_at"], name="handed_in")
        ),
    ]
