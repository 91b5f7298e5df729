import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0006_late_work"),
    ]

    operations = [
        *(
            migrations.AddField(
                model_name="auditentry",
                name=name,
                field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name=related, to=to),
            )
            for name, related, to in (
                ("membership", "audit", "courses.membership"),
                ("assignment", "audit", "courses.assignment"),
                ("part_of", "parts", "courses.auditentry"),
            )
        ),
        migrations.AddField(model_name="auditentry", name="submission_number", field=models.BigIntegerField(null=True)),
        migrations.AddField(model_name="auditentry", name="batch_number", field=models.BigIntegerField(null=True)),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["membership", "-id"], name="audit_of_a_member"),
        ),
    ]
