"""Everything that a city's files change: texts, name, telephone, style sheet and pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment

from balcao.core.errors import NotFound
from balcao.core.http.assets import Assets
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.logs import log
from balcao.core.offloading import run_in_thread
from balcao.settings import SettingsError
from balcao.site.city import CityFault, read_city, stamp_files
from balcao.site.formats import SiteWords
from balcao.site.templating import make_environment
from balcao.site.wording import Wording

ASSETS = "/recursos"
# A process looks for changed files this often.
WATCH_SECONDS = 5.0
_STYLE = "site.css"


@dataclass(frozen=True)
class Look:
    """The texts, names, static files and templates that result from one version of the city's files."""

    wording: Wording
    city: str
    phone: str
    assets: Assets
    environment: Environment


class Looks:
    """Holds the current look. `watch` replaces it when the city changes its files.

    Pages sent before a change still refer to the previous style sheet, so the process continues to serve the previous
    static files. `names` are the city's name and telephone from the settings. `shared` contains values for all
    templates.
    """

    def __init__(
        self, folder: Path | None, words: SiteWords, names: tuple[str, str], shared: Mapping[str, Any]
    ) -> None:
        self._shared = shared
        self._folder = folder
        self._words = words
        self._names = names
        self._stamp = None if folder is None else stamp_files(folder)
        self._former: Sequence[Assets] = ()
        try:
            self.current = self._make()
        except CityFault as fault:
            raise SettingsError(f"BALCAO_SITE_FOLDER: {fault}.") from None

    async def watch(self) -> None:
        """Load the city's files again if they have changed. If a file is invalid, keep the current look."""
        if self._folder is None or (stamp := await run_in_thread(stamp_files, self._folder)) == self._stamp:
            return
        self._stamp = stamp
        try:
            look = await run_in_thread(self._make)
        except CityFault as fault:
            log.error("site.city_invalid", reason=str(fault))
            return
        self._former, self.current = (self.current.assets,), look
        log.info("site.city_changed")

    def _make(self) -> Look:
        """Read the city's files and compile the templates.

        The first time, this takes about 0.7 s of CPU time. Compiling a template when the first visitor needs it would
        block the loop.
        """
        files_of_city = read_city(self._folder)
        folder = files("balcao.site") / "static"
        sheet = (folder / _STYLE).read_bytes() + files_of_city.sheet.encode()
        assets = Assets(folder, ASSETS, {**files_of_city.pictures, _STYLE: sheet})
        wording = files_of_city.wording
        city, phone = wording.city.name or self._names[0], wording.city.phone or self._names[1]
        environment = make_environment(self._words, wording, assets, city, phone)
        environment.globals.update(self._shared)
        for name in environment.list_templates():
            environment.get_template(name)
        return Look(wording, city, phone, assets, environment)

    def respond_asset(self, request: Request) -> Response[bytes]:
        """Return a static file of the current or the previous look. Raises NotFound if there is no such file."""
        try:
            return self.current.assets.respond(request)
        except NotFound:
            for assets in self._former:
                return assets.respond(request)
            raise
