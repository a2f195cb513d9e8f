"""What all pages share: the panel, the developer portal and the status page."""
