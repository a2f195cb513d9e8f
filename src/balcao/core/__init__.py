"""The foundation of all services. It depends on none of them."""
