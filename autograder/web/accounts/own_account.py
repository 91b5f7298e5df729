"""The account page: the user's own data and the changes made to it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.web.access import SignedIn
from autograder.web.accounts.account_changes import news_of


@login_required
@require_safe
def own_account(request: SignedIn) -> HttpResponse:
    return render(request, "web/accounts/own_account.html", {"news": news_of(request.user)})
