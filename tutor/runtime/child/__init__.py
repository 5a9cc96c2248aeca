"""What runs in the learner's process. Loaded there by its place, not by name, so it imports nothing of the rest."""
