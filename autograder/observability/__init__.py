"""What the site says of itself while it works: logs with one id from request to verdict, and spans. Never what anybody wrote."""
