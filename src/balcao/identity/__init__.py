"""The identity provider's calls to the platform, both of the city's and of the embedded provider."""
