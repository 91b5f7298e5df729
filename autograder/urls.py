"""Addresses. The admin is for inspection."""

from django.contrib import admin
from django.urls import include, path

from autograder.web.accounts.sign_in import admin_door

urlpatterns = [
    path("admin/login/", admin_door, name="admin-door"),
    path("admin/", admin.site.urls),
    path("", include("autograder.web.urls")),
]

handler400 = "autograder.web.error_pages.refused"
handler403 = "autograder.web.error_pages.forbidden"
handler404 = "autograder.web.error_pages.not_found"
handler500 = "autograder.web.error_pages.broken"
