"""Learner code: the Jupyter kernel, what it prints, and the device it runs on."""
