"""The sandbox CRM: an HTTP server with a subset of a Salesforce-style API. It is only for the trial and for tests."""
