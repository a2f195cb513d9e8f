"""Check whether a string has the form of an e-mail address, but not whether the address exists.

The library is imported on first use, because loading its tables takes 2 % of a process's start.
"""


def find_domain(address: str) -> str | None:
    """Return the domain of an e-mail address in lower case, or None if the string does not look like an address."""
    from email_validator import EmailNotValidError, validate_email

    try:
        # The library reserves the domain `test` for tests. Here it is an ordinary domain.
        return validate_email(address, check_deliverability=False, strict=True, test_environment=True).domain
    except EmailNotValidError:
        return None


def is_address(text: str) -> bool:
    """Return whether the string has the form of an address, even if nothing can be delivered to that address."""
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(text, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError:
        return False
    return True
