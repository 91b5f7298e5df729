"""What Gradus knows about the platforms (LMSs) that launch it with LTI 1.3, and what it has to send to them.

A platform is known by its registration, and a course of the LMS by its context. People are known by issuer and `sub`; an
email address never identifies anybody.
"""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

from autograder.courses.models import Assignment, Course, Membership, User


class SigningKey(models.Model):
    """A key pair of the tool. The private key is encrypted with the secret key of the site."""

    kid = models.CharField(max_length=64, unique=True)
    public = models.JSONField(help_text="The public key as a JWK.")
    private = models.TextField(help_text="The private key, encrypted.")
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="No longer signs; published for some days more.")

    def __str__(self) -> str:
        return self.kid


class Product(models.TextChoices):
    """The kinds of LMS whose peculiarities are known."""

    CANVAS = "canvas", "Canvas"
    MOODLE = "moodle", "Moodle"
    BLACKBOARD = "blackboard", "Blackboard"
    BRIGHTSPACE = "brightspace", "Brightspace"
    OTHER = "other", "Another LMS"


class Registration(models.Model):
    """A platform for which this site is registered as a tool. Several schools may share an issuer, but not a client ID."""

    name = models.CharField(max_length=200)
    product = models.CharField(max_length=20, choices=Product, default=Product.OTHER)
    issuer = models.CharField(max_length=255)
    client_id = models.CharField(max_length=255)
    auth_url = models.CharField(max_length=500)
    token_url = models.CharField(max_length=500)
    key_set_url = models.CharField(max_length=500)
    audience = models.CharField(
        max_length=500, blank=True, help_text="The audience of token requests if it is not the token URL."
    )
    active = models.BooleanField(default=True)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    key_set = models.JSONField(default=dict, help_text="The platform's public keys when they were last fetched.")
    key_set_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ("name", "id")
        constraints = (models.UniqueConstraint(fields=("issuer", "client_id"), name="one_registration_of_a_client"),)

    def __str__(self) -> str:
        return self.name


class RegistrationLink(models.Model):
    """A link with which an LMS registers Gradus by itself (dynamic registration). Only its hash is stored."""

    LIFETIME = timedelta(days=1)

    token_hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    registration = models.ForeignKey(Registration, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"registration link {self.pk}"


class Deployment(models.Model):
    """A deployment of the tool in a platform. One that nobody announced waits until an administrator approves it."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for approval"
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="deployments")
    deployment_id = models.CharField(max_length=255)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    made_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When somebody last launched from it.")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (models.UniqueConstraint(fields=("registration", "deployment_id"), name="one_deployment_of_an_id"),)

    def __str__(self) -> str:
        return f"{self.deployment_id} of {self.registration}"


class LmsAccount(models.Model):
    """A person as a platform knows them, and their account here. Only the owner of an account links another one to it."""

    issuer = models.CharField(max_length=255)
    sub = models.CharField(max_length=255)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="lms_accounts")
    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="people")
    email = models.CharField(max_length=254, blank=True, help_text="As the platform says. It identifies nobody.")
    made_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("issuer", "sub"), name="one_account_of_a_sub"),)

    def __str__(self) -> str:
        return f"{self.sub} of {self.issuer}"


class Context(models.Model):
    """A course of an LMS. It is connected to a course here by its instructor; several may be connected to the same one."""

    deployment = models.ForeignKey(Deployment, on_delete=models.PROTECT, related_name="contexts")
    context_id = models.CharField(max_length=255)
    label = models.CharField(max_length=255, blank=True)
    title = models.CharField(max_length=255, blank=True)
    course = models.ForeignKey(Course, on_delete=models.PROTECT, null=True, blank=True, related_name="lms_contexts")
    connected_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    connected_at = models.DateTimeField(null=True, blank=True)
    line_items_url = models.CharField(max_length=1000, blank=True)
    memberships_url = models.CharField(max_length=1000, blank=True)
    groups_url = models.CharField(max_length=1000, blank=True)
    scopes = models.JSONField(default=list, help_text="The scopes of the grade services that the platform allows here.")
    seen_at = models.DateTimeField(null=True, blank=True)
    sends_zeros = models.BooleanField(
        default=False, help_text="Send 0 points for work that is past due and was never submitted."
    )
    lateness_by_lms = models.BooleanField(
        default=False, help_text="The LMS deducts points for lateness, so points are sent without a deduction."
    )
    read_submissions = models.BigIntegerField(
        default=0, db_default=0, help_text="The latest submission whose effect was collected."
    )
    read_gradings = models.BigIntegerField(default=0, help_text="The latest grading whose effect was collected.")
    read_entries = models.BigIntegerField(default=0, help_text="The latest audit entry whose effect was collected.")
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="When the scores of all students were last collected."
    )
    roster_at = models.DateTimeField(null=True, blank=True, help_text="When the list of members was last read.")
    results_at = models.DateTimeField(null=True, blank=True, help_text="When the results in the LMS were last read.")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (models.UniqueConstraint(fields=("deployment", "context_id"), name="one_context_of_an_id"),)

    def __str__(self) -> str:
        return self.title or self.label or self.context_id

    @property
    def registration(self) -> Registration:
        return self.deployment.registration


class Enrolment(models.Model):
    """A member who came from a course of an LMS. The LMS may remove only those whom it also brought."""

    context = models.ForeignKey(Context, on_delete=models.CASCADE, related_name="enrolments")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="lms_enrolments")
    brought = models.BooleanField(help_text="The LMS made the person a member. Others were added here before.")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("context", "membership"), name="one_enrolment_in_a_context"),)

    def __str__(self) -> str:
        return f"{self.membership_id} in {self.context_id}"


class ResourceLink(models.Model):
    """A link in a course of an LMS, and the assignment that it opens. Without one, it opens the course."""

    context = models.ForeignKey(Context, on_delete=models.CASCADE, related_name="links")
    link_id = models.CharField(max_length=255)
    title = models.CharField(max_length=255, blank=True)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="lms_links")
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("context", "link_id"), name="one_link_of_an_id"),)

    def __str__(self) -> str:
        return self.title or self.link_id


class LineItem(models.Model):
    """A column in the gradebook of an LMS, to which the scores of an assignment are sent."""

    context = models.ForeignKey(Context, on_delete=models.CASCADE, related_name="line_items")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="lms_line_items")
    url = models.CharField(max_length=1000)
    trouble = models.CharField(max_length=300, blank=True, help_text="Why the column cannot be used, as a sentence.")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("context", "assignment"), name="one_line_item_of_an_assignment"),)

    def __str__(self) -> str:
        return f"{self.assignment} in {self.context}"


class OutgoingScore(models.Model):
    """The score of a student in a column of an LMS: what it should be, and what was sent.

    `sequence` increases with every change, so a score that was overtaken while it was being sent is sent again, and an older
    one never follows a newer one. While it is being sent, `try_at` is when it is sent again if the sender dies.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Being sent"
        SENT = "sent", "Sent"
        FAILED = "failed", "Failed"

    line_item = models.ForeignKey(LineItem, on_delete=models.CASCADE, related_name="scores")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="lms_scores")
    sequence = models.PositiveIntegerField(default=1)
    points = models.DecimalField(max_digits=7, decimal_places=2, null=True, blank=True)
    maximum = models.DecimalField(max_digits=7, decimal_places=2)
    activity = models.CharField(max_length=12)
    grading = models.CharField(max_length=14)
    comment = models.CharField(max_length=1000, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    submissions = models.PositiveIntegerField(
        default=0, help_text="How many submissions there were: more mean a new attempt."
    )
    changed_at = models.DateTimeField(default=timezone.now, help_text="Since when it should be in the LMS.")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    try_at = models.DateTimeField(help_text="When to try next.")
    trouble = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed, as a sentence.")
    sent_sequence = models.PositiveIntegerField(default=0)
    sent_submissions = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    last_timestamp = models.DateTimeField(null=True, blank=True, help_text="The timestamp of the last score that was sent.")
    lms_points = models.DecimalField(
        max_digits=9, decimal_places=4, null=True, blank=True, help_text="The result in the LMS when it was last read."
    )
    lms_read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("line_item", "membership"), name="one_score_in_a_column"),)
        indexes = (models.Index(fields=("state", "try_at"), name="scores_due"),)

    def __str__(self) -> str:
        return f"{self.membership_id} in {self.line_item_id}"


class LoginState(models.Model):
    """A launch that a platform has begun. It is used once, within some minutes, by the browser that began it."""

    LIFETIME = timedelta(minutes=10)

    state_hash = models.CharField(max_length=64, unique=True)
    nonce = models.CharField(max_length=64)
    browser_hash = models.CharField(max_length=64, help_text="The hash of the value of the browser's cookie.")
    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"login {self.pk}"


class Launch(models.Model):
    """A verified message of a platform, until the person has arrived. The holder of its code continues it, once."""

    LIFETIME = timedelta(minutes=5)
    LIFETIME_SIGNED_IN = timedelta(hours=1)  # for somebody who has arrived and fills in a form

    code_hash = models.CharField(max_length=64, unique=True)
    deployment = models.ForeignKey(Deployment, on_delete=models.CASCADE, related_name="+")
    message = models.JSONField()
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True, db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"launch {self.pk}"
