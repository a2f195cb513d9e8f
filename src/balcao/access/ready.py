"""The access service's part of the readiness check: its own operations must be registered."""

from collections.abc import Mapping

from balcao.core.context.platform import Platform


async def check_registration_readiness(platform: Platform) -> Mapping[str, bool]:
    """Return whether the service's operations are registered. Until then, every call would be refused."""
    return {"registration": "access.update_action" in platform.catalogue.latest.bindings}
