"""The sandbox CRM: an HTTP server with a subset of a Salesforce-style API. Only for the trial and tests."""
