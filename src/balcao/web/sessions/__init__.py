"""Sessions for the panel and for the site's personal pages.

The browser has only a cookie. The tokens never leave the server.
"""
