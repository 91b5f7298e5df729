"""A person who chose no time zone has none, so that UTC can be chosen."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget_the_default(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("courses", "User").objects.using(editor.connection.alias).filter(time_zone="UTC").update(time_zone="")


def restore_the_default(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("courses", "User").objects.using(editor.connection.alias).filter(time_zone="").update(time_zone="UTC")


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0015_carried_files"),
    ]

    operations = [
        migrations.AlterField(
            model_name="user",
            name="time_zone",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Empty: the one of the browser, or else of each course.",
                max_length=64,
            ),
        ),
        migrations.RunPython(forget_the_default, restore_the_default),
    ]
