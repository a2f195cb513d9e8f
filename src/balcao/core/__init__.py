"""The foundation on which all services are built. It does not depend on any of them."""
