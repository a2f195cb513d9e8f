"""The demo data of all services. They are loaded through the services' use cases."""
