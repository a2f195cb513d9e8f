"""What the identity provider, whichever it is, says to the platform of itself."""
