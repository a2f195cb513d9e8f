"""Mounts the site's pages at the root of a gateway."""

from dataclasses import replace

from balcao.gateway.gateway import Mount
from balcao.site.application import Site
from balcao.site.endpoints import Endpoints

_ROOT = "/"


def mount_at_root(site: Site, pages: Mount) -> Mount:
    """Return the gateway's own pages together with the site's pages. The site's first page replaces the one at `/`.

    Addresses that neither of them has get the site's error page.
    """
    endpoints = Endpoints(site)
    kept = [one for one in pages.endpoints if one[1] != _ROOT]
    return replace(pages, endpoints=[*endpoints.list(), *kept], page=endpoints.make_refusals())
