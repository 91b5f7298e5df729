"""One account for an email address, links for a new password, and mail that waits to be sent."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Count, F, Q
from django.db.models.functions import Lower


def clear_shared_emails(apps: Any, schema_editor: Any) -> None:
    """With an address that two accounts have, neither could sign in. It stays at the active account that signed in last; the
    others go on signing in by login, and the audit trail says what was cleared."""
    user, membership = apps.get_model("courses", "User"), apps.get_model("courses", "Membership")
    accounts = user.objects.exclude(email="").annotate(lower=Lower("email"))
    shared = accounts.values("lower").annotate(number=Count("id")).filter(number__gt=1).order_by("lower")
    for email in list(shared.values_list("lower", flat=True)):
        found = accounts.filter(lower=email).order_by("-is_active", F("last_login").desc(nulls_last=True), "id")
        keeper, *others = found
        for other in others:
            member = membership.objects.filter(user=other).order_by(F("removed_at").asc(nulls_first=True), "-id").first()
            apps.get_model("courses", "AuditEntry").objects.create(
                action="email-cleared",
                subject=other.username,
                course_id=member and member.course_id,
                membership=member,
                details={"email": other.email, "kept_by": keeper.username},
            )
            user.objects.filter(pk=other.pk).update(email="")
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # checked now: a table with checks to come is not changed


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("courses", "0007_audit_by_key"),
    ]

    operations = [
        migrations.RunPython(clear_shared_emails, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="one_account_for_an_email",
                violation_error_message="Another account has this email address.",
            ),
        ),
        migrations.CreateModel(
            name="OutgoingMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("reset", "A reset link for somebody who forgot the password"),
                            ("notice", "What somebody else changed in an account"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "to",
                    models.CharField(
                        help_text="An address; for a reset link the login or address that was typed.", max_length=254
                    ),
                ),
                (
                    "page",
                    models.CharField(
                        blank=True, help_text="Where a new password is chosen: the address up to the token.", max_length=400
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=200)),
                ("body", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("try_at", models.DateTimeField(db_index=True, help_text="The next try.")),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("given_up_at", models.DateTimeField(blank=True, null=True)),
                ("trouble", models.CharField(blank=True, help_text="Why the last try failed.", max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name="ResetLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mailed", models.BooleanField(default=False)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("account_mark", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "course",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="courses.course"
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        help_text="Empty: asked for by mail, or by an operator.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reset_links", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
    ]
