"""What holds for every test."""

import os

# Read when torch is loaded. Threads that wait by spinning make small models twenty times slower on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
