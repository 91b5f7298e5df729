"""Files that Python cannot parse have a verdict of their own."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_them(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    gradings = apps.get_model("submissions", "Grading").objects.using(editor.connection.alias)
    gradings.filter(verdict="error", report__reason="source").update(verdict="unreadable")


def as_before(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    gradings = apps.get_model("submissions", "Grading").objects.using(editor.connection.alias)
    gradings.filter(verdict="unreadable").update(verdict="error")


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0018_explanation_tried_at"),
    ]

    operations = [
        migrations.RunPython(name_them, as_before),
    ]
