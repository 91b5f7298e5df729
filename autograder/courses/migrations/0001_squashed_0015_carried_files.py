"""The tables of accounts and courses in version 0.2.0, for new databases. Existing ones take the steps that this replaces."""

import datetime

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("courses", "0001_initial"),
        ("courses", "0002_hidden_meanwhile"),
        ("courses", "0003_staff"),
        ("courses", "0004_explain_failed_hidden_checks"),
        ("courses", "0005_show_solutions"),
        ("courses", "0006_late_work"),
        ("courses", "0007_audit_by_key"),
        ("courses", "0008_accounts"),
        ("courses", "0009_joining"),
        ("courses", "0010_graded_outside"),
        ("courses", "0011_criteria"),
        ("courses", "0012_access_of_accounts"),
        ("courses", "0013_plain_labels"),
        ("courses", "0014_reset_link_text"),
        ("courses", "0015_carried_files"),
    ]

    initial = True

    dependencies = [("auth", "0012_alter_user_first_name_max_length"), ("library", "0008_several_files")]

    operations = [
        migrations.CreateModel(
            name="Course",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(unique=True)),
                ("title", models.CharField(max_length=200)),
                ("term", models.CharField(blank=True, max_length=100)),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                (
                    "supersedes",
                    models.BooleanField(
                        default=False,
                        help_text="A newer submission replaces an older one of the same student that is still waiting.",
                    ),
                ),
                (
                    "late_days",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="The number of days that each student may be late in total without losing points.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="OutgoingMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("reset", "Password reset link"), ("notice", "Notice of a change to an account")],
                        max_length=10,
                    ),
                ),
                (
                    "to",
                    models.CharField(
                        help_text="An address. For a reset link, the login or address that was entered.", max_length=254
                    ),
                ),
                (
                    "page",
                    models.CharField(
                        blank=True, help_text="The URL of the page for the new password, up to the token.", max_length=400
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=200)),
                ("body", models.TextField(blank=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("try_at", models.DateTimeField(db_index=True, help_text="When to try next.")),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("given_up_at", models.DateTimeField(blank=True, null=True)),
                ("trouble", models.CharField(blank=True, help_text="Why the last attempt failed.", max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                (
                    "registered_by_link",
                    models.BooleanField(
                        default=False,
                        help_text="Registered with an open invitation link: the email address is not verified.",
                    ),
                ),
                (
                    "password_ended_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When a password that staff of another course may have known was made invalid.",
                        null=True,
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
                (
                    "access_given_in",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        help_text="The course whose staff created the account or gave access to it, until it joins a course with other staff.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="courses.course",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("email"),
                        condition=models.Q(("email", ""), _negated=True),
                        name="one_account_for_an_email",
                        violation_error_message="Another account has this email address.",
                    )
                ],
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField()),
                ("title", models.CharField(max_length=200)),
                ("unit", models.CharField(blank=True, max_length=200)),
                ("position", models.PositiveIntegerField(default=0)),
                ("points", models.DecimalField(decimal_places=2, max_digits=7)),
                (
                    "points_by_hand",
                    models.DecimalField(
                        db_default=0,
                        decimal_places=2,
                        default=0,
                        help_text="The part of the points that staff give by hand: the sum of the criteria.",
                        max_digits=7,
                    ),
                ),
                ("opens_at", models.DateTimeField(blank=True, null=True)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                ("policy", models.CharField(default="best", max_length=40)),
                (
                    "late_share",
                    models.DecimalField(
                        decimal_places=3,
                        default=1,
                        help_text="The share of its points that a late submission keeps, from 0 to 1.",
                        max_digits=4,
                    ),
                ),
                (
                    "late_per_day",
                    models.DecimalField(
                        decimal_places=3,
                        default=0,
                        help_text="The deduction for each started day, as a share of the points.",
                        max_digits=4,
                    ),
                ),
                (
                    "late_floor",
                    models.DecimalField(
                        decimal_places=3,
                        default=0,
                        help_text="The minimum share that a late submission keeps.",
                        max_digits=4,
                    ),
                ),
                (
                    "late_grace",
                    models.DurationField(
                        default=datetime.timedelta(0),
                        help_text="How long after the due date a submission still counts as on time.",
                    ),
                ),
                (
                    "no_credit_after",
                    models.DateTimeField(blank=True, help_text="Submissions after this date earn no points.", null=True),
                ),
                (
                    "late_days_limit",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How many late days a student may use for this assignment. Empty for no limit.",
                        null=True,
                    ),
                ),
                ("attempt_limit", models.PositiveIntegerField(blank=True, null=True)),
                ("cool_down", models.DurationField(default=datetime.timedelta(0))),
                (
                    "show_hidden",
                    models.CharField(
                        choices=[("always", "Always"), ("after-due", "After the due date"), ("never", "Never")],
                        default="after-due",
                        max_length=10,
                    ),
                ),
                (
                    "hidden_meanwhile",
                    models.CharField(
                        choices=[
                            ("titles", "Titles and points"),
                            ("count", "Number of passed checks"),
                            ("nothing", "Nothing, not even points"),
                        ],
                        default="titles",
                        max_length=10,
                    ),
                ),
                (
                    "explain_hidden",
                    models.BooleanField(
                        default=True, help_text="Students see explanations of failed hidden checks, without values."
                    ),
                ),
                (
                    "show_solutions",
                    models.CharField(
                        choices=[
                            ("never", "Never"),
                            ("after-passing", "As soon as they pass all checks"),
                            ("after-due", "After they pass all checks and the last due date has passed"),
                        ],
                        default="never",
                        max_length=13,
                    ),
                ),
                (
                    "carried_files",
                    models.CharField(
                        choices=[
                            ("own", "The student's own best submission, or the reference solution if there is none"),
                            ("reference", "The reference solution"),
                        ],
                        default="own",
                        max_length=9,
                    ),
                ),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "edition",
                    models.PositiveIntegerField(
                        default=1, help_text="Increases with every change, to detect concurrent edits."
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty for work graded outside Gradus.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="library.exerciseversion",
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="assignments", to="courses.course"
                    ),
                ),
            ],
            options={
                "ordering": ("position", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("course", "slug"), name="one_assignment_of_a_slug"),
                    models.CheckConstraint(
                        condition=models.Q(("late_share__gte", 0), ("late_share__lte", 1)), name="late_share_is_a_share"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("late_per_day__gte", 0), ("late_per_day__lte", 1)),
                        name="late_per_day_is_a_share",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("late_floor__gte", 0), ("late_floor__lte", models.F("late_share"))),
                        name="late_floor_is_below_late_share",
                    ),
                    models.CheckConstraint(condition=models.Q(("points__gt", 0)), name="assignment_is_worth_something"),
                    models.CheckConstraint(
                        condition=models.Q(("points_by_hand__gte", 0), ("points_by_hand__lte", models.F("points"))),
                        name="points_by_hand_are_part_of_points",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Criterion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=100)),
                ("description", models.CharField(blank=True, max_length=300)),
                ("points", models.DecimalField(decimal_places=2, max_digits=7)),
                ("position", models.PositiveIntegerField(default=0)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="criteria", to="courses.assignment"
                    ),
                ),
            ],
            options={
                "ordering": ("position", "id"),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("points__gt", 0)), name="criterion_is_worth_something")
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("student", "Student"),
                            ("assistant", "Assistant"),
                            ("instructor", "Instructor"),
                            ("owner", "Owner"),
                        ],
                        default="student",
                        max_length=12,
                    ),
                ),
                ("lms_id", models.CharField(blank=True, max_length=100)),
                ("sis_id", models.CharField(blank=True, max_length=100)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="courses.course"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("course", "user"), name="one_membership_in_a_course")],
            },
        ),
        migrations.CreateModel(
            name="Extension",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                ("extra_attempts", models.PositiveIntegerField(default=0)),
                ("reason", models.CharField(max_length=500)),
                ("granted_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="extensions", to="courses.assignment"
                    ),
                ),
                (
                    "granted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="extensions", to="courses.membership"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("assignment", "membership"), name="one_extension_each")],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("action", models.CharField(max_length=60)),
                ("subject", models.CharField(max_length=200)),
                ("details", models.JSONField(default=dict)),
                ("submission_number", models.BigIntegerField(null=True)),
                ("batch_number", models.BigIntegerField(null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="audit", to="courses.assignment"
                    ),
                ),
                (
                    "part_of",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="parts", to="courses.auditentry"
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="audit", to="courses.course"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="audit", to="courses.membership"
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "indexes": [
                    models.Index(fields=["course", "-id"], name="audit_of_a_course"),
                    models.Index(fields=["membership", "-id"], name="audit_of_a_member"),
                ],
            },
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
                        help_text="Empty if requested by email or created by an operator.",
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
        migrations.CreateModel(
            name="Section",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sections", to="courses.course"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("course", "name"), name="one_section_of_a_name")],
            },
        ),
        migrations.AddField(
            model_name="membership",
            name="section",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="memberships",
                to="courses.section",
            ),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("student", "Student"),
                            ("assistant", "Assistant"),
                            ("instructor", "Instructor"),
                            ("owner", "Owner"),
                        ],
                        default="student",
                        max_length=12,
                    ),
                ),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "uses_left",
                    models.PositiveIntegerField(
                        blank=True, help_text="The remaining number of uses. Empty for no limit.", null=True
                    ),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "email",
                    models.EmailField(
                        blank=True,
                        help_text="Only this person can use the link. Empty for anyone who has it.",
                        max_length=254,
                    ),
                ),
                (
                    "domains",
                    models.CharField(
                        blank=True,
                        help_text="Allowed domains of email addresses, separated by spaces. Empty for all.",
                        max_length=500,
                    ),
                ),
                ("is_open", models.BooleanField(default=False, help_text="People without an account can create one.")),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="courses.course"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "section",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="courses.section",
                    ),
                ),
            ],
        ),
    ]
