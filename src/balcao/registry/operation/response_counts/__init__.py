"""The numbers of the services' responses over the last hours, by outcome."""
