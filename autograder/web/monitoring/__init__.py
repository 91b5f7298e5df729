"""What the site tells whoever keeps it running: probes, metrics, a page with the same numbers, a line of the log per request."""
