"""Monitoring for operators: health probes, metrics, a status page with the same numbers, and one log line per request."""
