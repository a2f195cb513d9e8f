"""What access adds to the question whether it can serve: its own operations are registered."""

from collections.abc import Mapping

from balcao.core.context.platform import Platform


async def tell_registration_readiness(platform: Platform) -> Mapping[str, bool]:
    """Tell whether the service's own operations are registered: without them every call would be refused."""
    return {"registration": "access.update_action" in platform.catalogue.latest.bindings}
