"""Passwords hashed as a site hashes them, in one round: a test that signs somebody in has better things to do."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class OneRound(PBKDF2PasswordHasher):
    iterations = 1
