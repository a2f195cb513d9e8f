"""What the pages of the panel and of the site share about citizens' requests."""
