"""The account page: the user's own data and the changes made to it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.web.access import SignedIn
from autograder.web.accounts.account_changes import changes_by_others


@login_required
@require_safe
def own_account(request: SignedIn) -> HttpResponse:
    return render(request, "web/accounts/own_account.html", {"news": changes_by_others(request.user)})
