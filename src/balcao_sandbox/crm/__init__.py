"""The sandbox CRM: a real HTTP server that speaks the Salesforce-style subset, for trial and tests only."""
