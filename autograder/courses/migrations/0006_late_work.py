import datetime

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def no_grade_changes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The policy `best` did not reduce late work, whatever the share said; now every policy does. What
    `best-before-due` did is what `best` does now."""
    assignments = apps.get_model("courses", "Assignment").objects
    assignments.filter(policy="best").update(late_share=1)
    assignments.filter(policy="best-before-due").update(policy="best")


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0005_show_solutions"),
    ]

    operations = [
        migrations.RunPython(no_grade_changes, migrations.RunPython.noop),
        migrations.AddField(
            model_name="course",
            name="late_days",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="Days that each student may be late in all, without losing points."
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="late_per_day",
            field=models.DecimalField(
                decimal_places=3, default=0, help_text="How much less of them for each day that has begun.", max_digits=4
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="late_floor",
            field=models.DecimalField(decimal_places=3, default=0, help_text="The share that is always kept.", max_digits=4),
        ),
        migrations.AddField(
            model_name="assignment",
            name="late_grace",
            field=models.DurationField(
                default=datetime.timedelta(0), help_text="How long after the due date is still on time."
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="no_credit_after",
            field=models.DateTimeField(blank=True, help_text="Later submissions earn no points.", null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="late_days_limit",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="How many of their late days students may use here. Empty: any number.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="late_share",
            field=models.DecimalField(
                decimal_places=3,
                default=1,
                help_text="The share of its points that a late submission keeps.",
                max_digits=4,
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("late_per_day__gte", 0), ("late_per_day__lte", 1)), name="late_per_day_is_a_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("late_floor__gte", 0), ("late_floor__lte", models.F("late_share"))),
                name="late_floor_is_below_late_share",
            ),
        ),
    ]
