"""HTTP server: metrics, health, the report page, and the webhook."""
