"""The pages: server-rendered, by audience. Nothing here decides a grade, and nothing here imports torch."""
