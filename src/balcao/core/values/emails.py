"""Whether a text has the form of an e-mail address; nobody is asked whether the address exists.

The library is loaded with the first address: its tables are a fiftieth of what a process takes to start.
"""


def find_domain(address: str) -> str | None:
    """Return the domain of an address in lower case, None for what has not the form of one."""
    from email_validator import EmailNotValidError, validate_email

    try:
        # The library keeps the domain `test` for tests; here it is a domain like others.
        return validate_email(address, check_deliverability=False, strict=True, test_environment=True).domain
    except EmailNotValidError:
        return None


def is_address(text: str) -> bool:
    """Return whether the text is an address, be it one that nothing could be delivered to."""
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(text, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError:
        return False
    return True
