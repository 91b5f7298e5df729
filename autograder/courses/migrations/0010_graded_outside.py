import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0009_joining"),
        ("library", "0005_example_calls"),
    ]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="version",
            field=models.ForeignKey(
                blank=True,
                help_text="Empty: graded outside Gradus.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="library.exerciseversion",
            ),
        ),
    ]
