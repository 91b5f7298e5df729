from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("library", "0003_summary_as_html"),
    ]

    operations = [
        migrations.AddField(
            model_name="versionpage",
            name="difficulty",
            field=models.PositiveSmallIntegerField(help_text="1 to 5.", null=True),
        ),
        migrations.AddField(
            model_name="versionpage",
            name="minutes",
            field=models.PositiveSmallIntegerField(help_text="Of work, as its author estimates it.", null=True),
        ),
    ]
