from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "autograder.backup"
    label = "backup"
