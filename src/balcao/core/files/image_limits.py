"""The limits of the image decoder, and its exit codes. The services read them without importing the decoder."""

# The exit codes for images that are rejected. Any other code means that the decoder failed.
DAMAGED, TOO_MANY_PIXELS = 3, 4
# The number of pixels of the largest photos that current phones take in their standard mode. The limit for PNG is
# lower, because its decoder cannot skip pixels.
MOST_PIXELS = {"JPEG": 50_000_000, "PNG": 25_000_000}
# A progressive JPEG of 50 million pixels needs 300 MB for its coefficients.
MEMORY_BYTES = 512 * 1024**2
CPU_SECONDS = 10
LONGEST_OUTPUT = 5 * 1024**2
