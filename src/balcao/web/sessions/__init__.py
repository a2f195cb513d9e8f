"""Sessions of the panel and of the site's personal pages.

The browser has only a cookie. The tokens stay on the server.
"""
