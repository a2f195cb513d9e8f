"""How anonymous pages read: as the site's machine client, through a bounded cache of the services' answers."""
