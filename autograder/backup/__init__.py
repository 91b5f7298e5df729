"""A site as one file, and a site again out of such a file: on SQLite, on PostgreSQL, and from one to the other."""
