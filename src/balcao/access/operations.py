"""What the operations of this service have in common: small bodies."""

MAX_BODY_BYTES = 256 * 1024
