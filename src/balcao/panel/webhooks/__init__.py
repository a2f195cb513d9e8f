"""Pages for the webhooks of a service: the receivers of its events and their deliveries."""
