"""Celery tasks of the courses app."""

from celery import shared_task
from django.db import close_old_connections

from autograder.courses import mail_delivery


@shared_task
def send_mail() -> int:
    close_old_connections()
    return mail_delivery.mails_send()
