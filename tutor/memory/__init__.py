"""What happened (the journal) and what follows from it (progress, what is due)."""
