import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_courses(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Accounts of students in one course, which its staff made or gave a password: they are what joins a second course from now
    on. Where somebody is in several courses already, or registered alone, nothing is to be ended."""
    users, memberships = (apps.get_model("courses", name).objects for name in ("User", "Membership"))
    own = memberships.filter(user=models.OuterRef("pk"))
    alone = users.annotate(courses=models.Count("memberships")).filter(courses=1, registered_by_link=False)
    students = alone.filter(models.Exists(own.filter(role="student")), is_staff=False, is_superuser=False)
    ids = list(students.values_list("pk", flat=True))
    for some in (ids[n : n + 400] for n in range(0, len(ids), 400)):
        users.filter(pk__in=some).update(access_given_in=models.Subquery(own.values("course")[:1]))


class Migration(migrations.Migration):
    dependencies = [("courses", "0011_criteria")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="access_given_in",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                help_text="The course whose staff made the account or gave access to it, until it joins a course of other staff.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="courses.course",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="password_ended_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="When a password that staff of another course could know was ended.",
                null=True,
            ),
        ),
        migrations.RunPython(name_courses, migrations.RunPython.noop),
    ]
