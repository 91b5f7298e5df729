"""What is told of the site: where work came from, layers of workers, tallies. Old workers go on without a word of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_taking_back"),
    ]

    operations = [
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(unique=True)),
                ("counts", models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name="work",
            name="request",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="The request that asked for it: the logs of its whole way name it.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="work",
            name="traceparent",
            field=models.CharField(
                blank=True, db_default="", help_text="Where its spans hang, if there are any.", max_length=55
            ),
        ),
        migrations.AddField(
            model_name="worker",
            name="layers",
            field=models.JSONField(
                blank=True, help_text="Which layers of its sandbox hold; null if it does not say.", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(condition=models.Q(("state", "failed")), fields=["-ended_at"], name="given_up"),
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("counter", models.CharField(max_length=40)),
                ("label", models.CharField(blank=True, max_length=100)),
                ("process", models.CharField(blank=True, max_length=100)),
                ("value", models.FloatField(default=0)),
            ],
            options={
                "verbose_name_plural": "tallies",
                "constraints": [models.UniqueConstraint(fields=("counter", "label", "process"), name="one_tally_each")],
            },
        ),
    ]
