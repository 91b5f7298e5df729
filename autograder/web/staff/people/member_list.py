"""The members of a course, searchable by role, section and name; and the page of one member."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.accounts.first_passwords import with_first_password, without_password
from autograder.courses.accounts.selectors import REGISTERED_BY_LINK
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership, Role
from autograder.courses.people.members import AddedMember, member_add_by_login
from autograder.courses.person_names import by_name
from autograder.courses.rights import OPERATOR, Right
from autograder.web.access import SignedIn, number_in
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import InSectionForm
from autograder.web.staff.people.member import ACCOUNT_NEXT_STEP

ON_A_PAGE = 100
LONGEST_SEARCH = 100
NO_SECTION = "none"
SEARCHED = (
    "user__username",
    "user__first_name",
    "user__last_name",
    "user__email",
    "lms_id",
    "sis_id",
)


class AddForm(InSectionForm):
    """Adds one person, with or without an existing account."""

    login = forms.CharField(
        max_length=254, label="Login or email", help_text="If no account has this email address, a new account is created."
    )
    name = forms.CharField(max_length=300, required=False, label="Name", help_text="For a new account.")
    role = forms.ChoiceField(choices=Role.choices, label="Role")
    field_order = ("login", "name", "role", "section")


@dataclass(frozen=True)
class MemberFilter:
    """The filters from the query string. Invalid values are ignored."""

    role: str = ""
    section: str = ""  # the id of a section, or "none"
    words: str = ""
    gone: bool = False

    @classmethod
    def of(cls, query: QueryDict) -> "MemberFilter":
        role, section = query.get("role", ""), query.get("section", "")
        return cls(
            role if role in Role.values else "",
            section if section == NO_SECTION or number_in(section) is not None else "",
            query.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH],
            query.get("gone") == "yes",
        )

    def members(self, course: Course) -> QuerySet[Membership]:
        found = Membership.objects.filter(course=course, removed_at__isnull=not self.gone)
        if self.role:
            found = found.filter(role=self.role)
        if self.section:
            found = found.filter(section=None if self.section == NO_SECTION else number_in(self.section))
        for word in self.words.split():
            found = found.filter(Q(*((f"{name}__icontains", word) for name in SEARCHED), _connector=Q.OR))
        return found.select_related("user", "section").order_by(*by_name())

    @property
    def query(self) -> str:
        """The query string for links to other pages."""
        query = QueryDict(mutable=True)
        chosen = {"role": self.role, "section": self.section, "q": self.words, "gone": "yes" if self.gone else ""}
        query.update({name: value for name, value in chosen.items() if value})
        return query.urlencode()


@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: SignedIn, staff: Membership) -> HttpResponse:
    form = AddForm(staff.course, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            added = member_add_by_login(course=staff.course, by=staff, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, _added_message(added, staff))
            return redirect("people", staff.course.slug)
    chosen = MemberFilter.of(request.GET)
    page = Paginator(chosen.members(staff.course), ON_A_PAGE).get_page(request.GET.get("page"))
    counts = Membership.objects.filter(course=staff.course, removed_at=None).values_list("role").annotate(Count("id"))
    context: dict[str, Any] = page_context(staff, "people") | {
        "form": form,
        "filter": chosen,
        "page": page,
        "roles": Role.choices,
        "counts": [(Role(role).label, count) for role, count in sorted(counts.order_by())],
        "sections": staff.course.sections.order_by("name"),
        "connected": staff.course.lms_contexts.exists(),
    }
    if rights.has(staff, Right.OWN):
        waiting = without_password(staff.course, OPERATOR).count()
        yours = without_password(staff.course, staff).count()
        given = with_first_password(staff.course).aggregate(count=Count("pk"), last=Max("user__first_password_at"))
        context |= {"without_password": yours, "for_an_operator": waiting - yours}
        context |= {"with_first": given["count"], "first_given_at": given["last"]}
    return render(request, "web/staff/people/member_list.html", context)


def _added_message(added: AddedMember, staff: Membership) -> str:
    """The message about an added member, with the next step for their account."""
    words = f"{added.membership.user.display_name} was added to the course."
    if added.new_account:
        first = " or select “Create first passwords” below" if rights.has(staff, Right.OWN) else ""
        return f"{words} The new account has no password yet. Create a reset link on this person's page{first}."
    if added.ended_password:
        return f"{words} Staff of another course gave access to this account, so its password no longer works. {ACCOUNT_NEXT_STEP}"
    if added.membership.user.registered_by_link:
        return f"{words} This account was {REGISTERED_BY_LINK}. Make sure that it belongs to the right person."
    return words
