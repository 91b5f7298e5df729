from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0008_accounts"),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="domains",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Only for email addresses of these, separated by spaces. Empty: of any.",
                max_length=500,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="invitation",
            name="email",
            field=models.EmailField(
                blank=True,
                default="",
                help_text="For this person alone. Empty: for everybody who has the link.",
                max_length=254,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="invitation",
            name="is_open",
            field=models.BooleanField(default=False, help_text="People without an account can create one."),
        ),
        migrations.AddField(
            model_name="user",
            name="registered_by_link",
            field=models.BooleanField(
                default=False,
                help_text="Made by its owner with an open invitation: nobody has verified the email address.",
            ),
        ),
    ]
