"""Text for a terminal: made safe, laid out, drawn, translated."""
