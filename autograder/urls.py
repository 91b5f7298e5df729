"""Addresses. The pages come with the web room; the admin is for inspection."""

from django.contrib import admin
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls)]
