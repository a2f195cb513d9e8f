"""Light electric vehicles: what citizens register, who may drive them, and the catalogue they choose from."""
