"""The course `demo`: invented people, real exercises, and a week of submissions that are really graded."""
