"""Pages for a service's webhooks: the receivers of its events, and the deliveries to them."""
