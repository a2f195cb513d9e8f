"""The sandbox CRM: a real HTTP server with a subset of a Salesforce-style API, only for the trial and tests."""
