"""The code for citizens' requests that the panel's and the site's pages share."""
