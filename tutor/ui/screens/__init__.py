"""One module a screen, its style beside it."""
