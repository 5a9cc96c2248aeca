"""One module a command of `normtutor`; none needs a terminal or imports Textual."""
