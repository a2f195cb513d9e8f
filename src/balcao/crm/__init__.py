"""The client for the city's CRM, which all features share."""
