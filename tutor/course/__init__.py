"""Lessons as data: types, loader, lint. Knows nothing of screens or of learners."""
