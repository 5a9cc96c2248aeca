"""normtutor: a tutor in the terminal that teaches why deep networks train."""

__version__ = "0.1.0"
