"""What instructors and assistants see and do."""
