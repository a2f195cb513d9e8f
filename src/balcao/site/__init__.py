"""The citizen site: pages in Portuguese about the city's services. It is a client of the services and imports none."""
