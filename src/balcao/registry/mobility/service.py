"""What the nightly job does to links and vehicles (rules: registry 4.8, 5)."""

from balcao.registry.mobility import store

expire_invitations = store.expire_invitations
erase_links = store.erase_links
erase_vehicles = store.erase_vehicles

__all__ = ["erase_links", "erase_vehicles", "expire_invitations"]
