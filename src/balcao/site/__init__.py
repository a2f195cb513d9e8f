"""The citizen site: Portuguese pages about the city's services.

It is a client of the services and imports none of them.
"""
