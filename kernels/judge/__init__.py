"""Judges code that a learner wrote, by what it computes. Run as `python -m kernels.judge`; docs/grading.md explains it.

Three kinds of process. The *judge* draws the inputs, and compares what comes back with float64. The *fork server* has
torch loaded and nothing else; from it comes one *child* a submission, with a keeper above it that holds it to its
limits. A child gets inputs and sends tensors. What is expected is computed after it has ended, so it is nowhere while
the submission runs, and no exit code, message or exception of the child can say that anything is right.
"""
