"""The readiness check of the access service, which requires that its own operations are registered."""

from collections.abc import Mapping

from balcao.core.context.platform import Platform


async def check_registration_readiness(platform: Platform) -> Mapping[str, bool]:
    """Return whether the service's operations are registered. Until then, every call would be refused."""
    return {"registration": "access.update_action" in platform.catalogue.latest.bindings}
