"""The resources that a process holds while it serves the site."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from jinja2 import Environment

from balcao.core.access.limits import Limits
from balcao.core.repeating import repeating
from balcao.core.tracing import make_http_client
from balcao.settings import Settings
from balcao.site.declaration import Area, MenuEntry, Page
from balcao.site.formats import SiteWords
from balcao.site.look import WATCH_SECONDS, Looks
from balcao.site.reading.catalogue import SERVICE as SERVICE_OF_CATALOGUE
from balcao.site.reading.catalogue import Catalogue
from balcao.site.reading.machine import CALLS_AT_ONCE, MachineClient
from balcao.site.reading.reader import Reader, Source
from balcao.site.wording import Wording
from balcao.web import guard
from balcao.web.api import ApiFault
from balcao.web.provider import Provider

_NO_PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
_CALLS_AT_ONCE = httpx.Limits(max_connections=CALLS_AT_ONCE + 2, max_keepalive_connections=CALLS_AT_ONCE)


class Site:
    """The site's resources in one process. They are opened when the process starts to serve.

    `limits` counts pages and API calls by the visitor's address. `address` is the public address of the site.
    `has_portal` is True if the same process also serves the developer portal and the status page.
    """

    def __init__(
        self, settings: Settings, limits: Limits, areas: Sequence[Area], address: str = "", *, has_portal: bool = True
    ) -> None:
        self.settings = settings
        self.areas = areas
        self.has_login = settings.has_site_login
        self.has_portal = has_portal
        self.address = address or settings.site_address
        self.headers = guard.make_headers("", is_secure=self.address.startswith("https://"), scripts=False)
        self.headers["Permissions-Policy"] = _NO_PERMISSIONS
        self.words = SiteWords(settings.zone)
        names = settings.site_city_name, settings.site_telephone
        values = {"site": self, "address": self.write_address, "trial_mailbox": settings.trial_mailbox_url}
        self.looks = Looks(settings.site_folder, self.words, names, values)
        self.http = make_http_client(settings.traces_url, limits=_CALLS_AT_ONCE, follow_redirects=False)
        client = settings.site_machine_client_id, settings.site_machine_client_secret.get_secret_value()
        machine = MachineClient(
            self.http, settings.site_services_url, Provider(settings.issuers[0], *client, self.http), client
        )
        self.source = Source(machine)
        self.catalogue = Catalogue(machine)
        self._limits = limits
        self._pages = {page.name: page for area in areas for page in area.pages.declared}

    @property
    def wording(self) -> Wording:
        """Return the site's wording, including the city's changes."""
        return self.looks.current.wording

    @property
    def city(self) -> str:
        """Return the city's name."""
        return self.looks.current.city

    @property
    def phone(self) -> str:
        """Return the city's telephone number."""
        return self.looks.current.phone

    @property
    def environment(self) -> Environment:
        """Return the template environment."""
        return self.looks.current.environment

    @property
    def origin(self) -> str:
        """Return the origin that browsers send with the site's forms."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def menu(self) -> list[tuple[Area, MenuEntry]]:
        """Return the menu entries with their areas, in the order of the areas."""
        return [(area, area.menu) for area in self.areas if area.menu]

    def list_footer(self, footer: str) -> list[Page]:
        """Return the pages in one of the two footer lists."""
        return [page for page in self._pages.values() if page.footer == footer]

    def find_page(self, name: str) -> Page:
        """Return the page with this name. Raises KeyError if there is no such page."""
        return self._pages[name]

    def write_address(self, name: str, /, _query: Mapping[str, Any] | None = None, **values: object) -> str:
        """Return the address of the page with this name, as `Visit.address` does."""
        asked = {key: value for key, value in (_query or {}).items() if value not in (None, "")}
        tail = f"?{urlencode(asked)}" if asked else ""
        return self.find_page(name).address(**values) + tail

    def name_data(self, fault: ApiFault) -> str:
        """Return the citizens' term for the data of the service whose call failed: "as vagas de emprego"."""
        return self.wording.services.get(fault.service, "os serviços")

    def find_outage(self, fault: ApiFault) -> datetime | None:
        """Return since when the service of a failed call has been down.

        Return None if other calls to the service succeed.
        """
        found = self.source.find_outage(fault.service)
        return found or (self.catalogue.down_since if fault.service == SERVICE_OF_CATALOGUE else None)

    def make_reader(self, peer: str, request_id: str) -> Reader:
        """Return a reader for a page that this address requested."""
        charge = partial(self._limits.spend_here, self.settings.site_read_rate, "site.read", peer)
        return Reader(self.source, peer, charge, {"X-Forwarded-For": peer, "X-Request-ID": request_id})

    def count_page(self, peer: str) -> None:
        """Count a page that this address requested. Raises TooMany if the rate is exceeded."""
        self._limits.spend_here(self.settings.site_page_rate, "site.page", peer)

    async def count_request(self, peer: str) -> None:
        """Count a service request that this address makes without a login. Raises TooMany if the rate is exceeded.

        The registry does not count the addresses of a portal's visitors. The site is such a portal, so it counts them
        itself.
        """
        await self._limits.spend(self.settings.site_request_rate, "site.request", peer)

    async def count_feedback(self, peer: str) -> None:
        """Count feedback from this address about service pages. Raises TooMany if the rate is exceeded."""
        await self._limits.spend(self.settings.site_feedback_rate, "site.feedback", peer)

    async def count_follow(self, peer: str) -> None:
        """Count a look-up of a request by its number and code. Raises TooMany if the rate is exceeded."""
        await self._limits.spend(self.settings.site_follow_rate, "site.follow", peer)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Watch the city's files while the process serves. Close all resources at the end."""
        try:
            async with repeating(self.looks.watch, WATCH_SECONDS):
                yield
        finally:
            await self.catalogue.stop()
            await self.source.stop()
            await self.http.aclose()
