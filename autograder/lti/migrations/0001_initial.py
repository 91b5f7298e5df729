import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("courses", "0015_carried_files"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Deployment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("deployment_id", models.CharField(max_length=255)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting for approval"), ("approved", "Approved"), ("refused", "Refused")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(blank=True, help_text="When somebody last launched from it.", null=True)),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kid", models.CharField(max_length=64, unique=True)),
                ("public", models.JSONField(help_text="The public key as a JWK.")),
                ("private", models.TextField(help_text="The private key, encrypted.")),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "retired_at",
                    models.DateTimeField(blank=True, help_text="No longer signs; published for some days more.", null=True),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Context",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("context_id", models.CharField(max_length=255)),
                ("label", models.CharField(blank=True, max_length=255)),
                ("title", models.CharField(blank=True, max_length=255)),
                ("connected_at", models.DateTimeField(blank=True, null=True)),
                ("line_items_url", models.CharField(blank=True, max_length=1000)),
                ("memberships_url", models.CharField(blank=True, max_length=1000)),
                ("groups_url", models.CharField(blank=True, max_length=1000)),
                (
                    "scopes",
                    models.JSONField(
                        default=list, help_text="The scopes of the grade services that the platform allows here."
                    ),
                ),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "sends_zeros",
                    models.BooleanField(
                        default=False, help_text="Send 0 points for work that is past due and was never submitted."
                    ),
                ),
                (
                    "lateness_by_lms",
                    models.BooleanField(
                        default=False,
                        help_text="The LMS deducts points for lateness, so points are sent without a deduction.",
                    ),
                ),
                (
                    "read_submissions",
                    models.BigIntegerField(
                        db_default=0, default=0, help_text="The latest submission whose effect was collected."
                    ),
                ),
                (
                    "read_gradings",
                    models.BigIntegerField(default=0, help_text="The latest grading whose effect was collected."),
                ),
                (
                    "read_entries",
                    models.BigIntegerField(default=0, help_text="The latest audit entry whose effect was collected."),
                ),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="When the scores of all students were last collected.", null=True
                    ),
                ),
                (
                    "roster_at",
                    models.DateTimeField(blank=True, help_text="When the list of members was last read.", null=True),
                ),
                (
                    "results_at",
                    models.DateTimeField(blank=True, help_text="When the results in the LMS were last read.", null=True),
                ),
                (
                    "connected_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lms_contexts",
                        to="courses.course",
                    ),
                ),
                (
                    "deployment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="contexts", to="lti.deployment"
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
                "constraints": [models.UniqueConstraint(fields=("deployment", "context_id"), name="one_context_of_an_id")],
            },
        ),
        migrations.CreateModel(
            name="Enrolment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "brought",
                    models.BooleanField(help_text="The LMS made the person a member. Others were added here before."),
                ),
                (
                    "context",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="enrolments", to="lti.context"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lms_enrolments", to="courses.membership"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("context", "membership"), name="one_enrolment_in_a_context")
                ],
            },
        ),
        migrations.CreateModel(
            name="Launch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code_hash", models.CharField(max_length=64, unique=True)),
                ("message", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "deployment",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="lti.deployment"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LineItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=1000)),
                (
                    "trouble",
                    models.CharField(blank=True, help_text="Why the column cannot be used, as a sentence.", max_length=300),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="lms_line_items", to="courses.assignment"
                    ),
                ),
                (
                    "context",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="line_items", to="lti.context"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("context", "assignment"), name="one_line_item_of_an_assignment")
                ],
            },
        ),
        migrations.CreateModel(
            name="OutgoingScore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sequence", models.PositiveIntegerField(default=1)),
                ("points", models.DecimalField(blank=True, decimal_places=2, max_digits=7, null=True)),
                ("maximum", models.DecimalField(decimal_places=2, max_digits=7)),
                ("activity", models.CharField(max_length=12)),
                ("grading", models.CharField(max_length=14)),
                ("comment", models.CharField(blank=True, max_length=1000)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "submissions",
                    models.PositiveIntegerField(
                        default=0, help_text="How many submissions there were: more mean a new attempt."
                    ),
                ),
                (
                    "changed_at",
                    models.DateTimeField(default=django.utils.timezone.now, help_text="Since when it should be in the LMS."),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("sending", "Being sent"), ("sent", "Sent"), ("failed", "Failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("try_at", models.DateTimeField(help_text="When to try next.")),
                (
                    "trouble",
                    models.CharField(blank=True, help_text="Why the last attempt failed, as a sentence.", max_length=300),
                ),
                ("sent_sequence", models.PositiveIntegerField(default=0)),
                ("sent_submissions", models.PositiveIntegerField(default=0)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "last_timestamp",
                    models.DateTimeField(blank=True, help_text="The timestamp of the last score that was sent.", null=True),
                ),
                (
                    "lms_points",
                    models.DecimalField(
                        blank=True,
                        decimal_places=4,
                        help_text="The result in the LMS when it was last read.",
                        max_digits=9,
                        null=True,
                    ),
                ),
                ("lms_read_at", models.DateTimeField(blank=True, null=True)),
                (
                    "line_item",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="lti.lineitem"),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lms_scores", to="courses.membership"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["state", "try_at"], name="scores_due")],
                "constraints": [models.UniqueConstraint(fields=("line_item", "membership"), name="one_score_in_a_column")],
            },
        ),
        migrations.CreateModel(
            name="Registration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                (
                    "product",
                    models.CharField(
                        choices=[
                            ("canvas", "Canvas"),
                            ("moodle", "Moodle"),
                            ("blackboard", "Blackboard"),
                            ("brightspace", "Brightspace"),
                            ("other", "Another LMS"),
                        ],
                        default="other",
                        max_length=20,
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("client_id", models.CharField(max_length=255)),
                ("auth_url", models.CharField(max_length=500)),
                ("token_url", models.CharField(max_length=500)),
                ("key_set_url", models.CharField(max_length=500)),
                (
                    "audience",
                    models.CharField(
                        blank=True, help_text="The audience of token requests if it is not the token URL.", max_length=500
                    ),
                ),
                ("active", models.BooleanField(default=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "key_set",
                    models.JSONField(default=dict, help_text="The platform's public keys when they were last fetched."),
                ),
                ("key_set_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("issuer", "client_id"), name="one_registration_of_a_client")
                ],
            },
        ),
        migrations.CreateModel(
            name="LoginState",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state_hash", models.CharField(max_length=64, unique=True)),
                ("nonce", models.CharField(max_length=64)),
                (
                    "browser_hash",
                    models.CharField(help_text="The hash of the value of the browser's cookie.", max_length=64),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "registration",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="lti.registration"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LmsAccount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issuer", models.CharField(max_length=255)),
                ("sub", models.CharField(max_length=255)),
                (
                    "email",
                    models.CharField(blank=True, help_text="As the platform says. It identifies nobody.", max_length=254),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lms_accounts", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "registration",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="people", to="lti.registration"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("issuer", "sub"), name="one_account_of_a_sub")],
            },
        ),
        migrations.AddField(
            model_name="deployment",
            name="registration",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="deployments", to="lti.registration"
            ),
        ),
        migrations.CreateModel(
            name="RegistrationLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "registration",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="lti.registration",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ResourceLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("link_id", models.CharField(max_length=255)),
                ("title", models.CharField(blank=True, max_length=255)),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lms_links",
                        to="courses.assignment",
                    ),
                ),
                (
                    "context",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="links", to="lti.context"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("context", "link_id"), name="one_link_of_an_id")],
            },
        ),
        migrations.AddConstraint(
            model_name="deployment",
            constraint=models.UniqueConstraint(fields=("registration", "deployment_id"), name="one_deployment_of_an_id"),
        ),
    ]
