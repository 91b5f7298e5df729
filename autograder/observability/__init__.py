"""Logging with one id from request to verdict, and tracing spans. Neither contains text written by users."""
