"""The Textual app: the only place that imports Textual."""
