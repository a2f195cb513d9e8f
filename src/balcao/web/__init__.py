"""The code that all web pages share: the panel, the site, the developer portal and the status page."""
