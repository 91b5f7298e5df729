"""Django's password hashing with a single iteration, to keep logins in tests fast."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class OneRound(PBKDF2PasswordHasher):
    iterations = 1
