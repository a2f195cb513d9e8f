"""The public status page: each service now and over ninety days, planned maintenance, and incidents."""
