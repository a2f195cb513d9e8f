"""Services that are taken out of use for a while."""
