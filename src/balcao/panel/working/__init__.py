"""Support for forms that several people edit: names of co-editors, and drafts of text that was not sent."""
