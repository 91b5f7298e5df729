"""With its points a freeze keeps what they count for. Older freezes have no such basis, and count as they did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gradebook", "0002_staff")]

    operations = [
        migrations.AddField(
            model_name="freeze",
            name="basis",
            field=models.JSONField(
                blank=True,
                help_text="What they count for: what assignments were worth, when they were due, rules of units.",
                null=True,
            ),
        ),
    ]
