"""The account page: the user's own data, the changes made to it, and the LMSs that sign in to it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from autograder.courses.errors import Refused
from autograder.lti.launch.people import account_unlink
from autograder.lti.models import LmsAccount
from autograder.web.access import SignedIn, number_in
from autograder.web.accounts.account_changes import changes_by_others
from autograder.web.timestamps import own_zone


@login_required
@require_safe
def own_account(request: SignedIn) -> HttpResponse:
    linked = request.user.lms_accounts.select_related("registration").order_by("id")
    return render(
        request,
        "web/accounts/own_account.html",
        {
            "news": changes_by_others(request.user),
            "lms_accounts": linked,
            "zone": own_zone(request, request.user),
        },
    )


@login_required
@require_POST
def unlink_lms_account(request: SignedIn) -> HttpResponse:
    number = number_in(request.POST.get("account", ""))
    found = LmsAccount.objects.filter(pk=number or 0, user=request.user).select_related("registration").first()
    if found is None:
        raise Http404("no such LMS account, or it is not theirs")
    lms = found.registration.name
    try:
        account_unlink(account=found, by=request.user)
    except Refused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, f"{lms} no longer signs in to this account.")
    return redirect("account")
