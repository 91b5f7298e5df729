"""Celery tasks of the courses app."""

from celery import shared_task
from django.db import close_old_connections

from autograder.courses.mail import delivery


@shared_task
def send_mail() -> int:
    close_old_connections()
    return delivery.mails_send()
