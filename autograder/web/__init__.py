"""Server-rendered pages, grouped by audience. Nothing here decides a grade or imports torch."""
