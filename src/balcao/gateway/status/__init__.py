"""The public status page: each service now and over ninety days, what is planned, and what operators say."""
