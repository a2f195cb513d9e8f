"""Reads of anonymous pages: as the site's machine client, through a bounded cache of the services' answers."""
