"""Code that the pages of the panel and of the site share for citizens' requests."""
