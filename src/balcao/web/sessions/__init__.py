"""Sessions of the panel: the person behind each cookie, with tokens that no browser sees."""
