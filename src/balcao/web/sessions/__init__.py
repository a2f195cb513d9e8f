"""Sessions of the panel: who is logged in by which cookie, with tokens that no browser sees."""
