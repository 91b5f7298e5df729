"""The demo course: invented people, real exercises, and a week of submissions that are actually graded."""
