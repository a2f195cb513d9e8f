"""The code shared by all pages: the panel, the developer portal and the status page."""
