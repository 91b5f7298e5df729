"""What counted before a regrade is kept, so that it can be taken back."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0007_what_grades_are_made_of")]

    operations = [
        migrations.AlterField(
            model_name="batch",
            name="state",
            field=models.CharField(
                choices=[
                    ("preview", "Preview"),
                    ("committed", "Committed"),
                    ("discarded", "Discarded"),
                    ("undone", "Taken back"),
                ],
                default="preview",
                max_length=10,
            ),
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
            options={"ordering": ("id",)},
        ),
    ]
