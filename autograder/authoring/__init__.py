"""Exercises that instructors write in the browser: drafts, their proofs, and what is published of them."""
