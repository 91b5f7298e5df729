from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0004_explain_failed_hidden_checks"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="show_solutions",
            field=models.CharField(
                choices=[
                    ("never", "Never"),
                    ("after-passing", "As soon as they pass all checks"),
                    ("after-due", "When they pass all checks and every due date is over"),
                ],
                default="never",
                max_length=13,
            ),
        ),
    ]
