"""Sessions for the panel and for the site's personal pages.

The browser has only a cookie. The tokens are stored only on the server.
"""
