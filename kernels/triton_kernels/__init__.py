"""The Triton kernels: forward, backward, their launch, and slow ones that teach. Importing them imports triton."""
