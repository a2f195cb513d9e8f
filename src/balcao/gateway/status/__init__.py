"""The public status page: the state of each service now and over ninety days, planned maintenance, and incidents."""
