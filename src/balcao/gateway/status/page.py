"""The status page for people: one file that includes its style and is readable without scripts."""

from functools import partial

from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.gateway.status import words
from balcao.gateway.status.board import Board, StatusCache
from balcao.gateway.status.judgement import REQUIRED_SHARE
from balcao.web.templating import make_environment, read_style

# All visitors see the same page, so caches can serve the many visitors during an incident.
CACHED = {"Cache-Control": "public, max-age=10"}
_STYLE = read_style("balcao.gateway.status", "status.css")
_POLICY = allow_style(_STYLE)


class StatusPage:
    """Renders the status page. The page shows `city` if the installation sets it."""

    def __init__(self, keeper: StatusCache, city: str) -> None:
        self._environment = environment = make_environment("balcao.gateway.status")
        environment.filters.update(
            {
                "iso": lambda moment: moment.astimezone(keeper.zone).isoformat(timespec="seconds"),
                "local": partial(words.format_local, zone=keeper.zone),
                "titles": partial(words.list_titles, titles=keeper.titles),
                "told_last_first": words.list_last_first,
                "bars": words.draw_days,
                "sample": words.draw_sample,
                "describe_days": words.describe_days,
                "describe_level": words.describe_level,
                "percent": words.format_share,
            }
        )
        environment.globals.update(
            states=words.STATES,
            severities=words.SEVERITIES,
            summaries=words.SUMMARIES,
            legend=words.LEGEND,
            style=_STYLE,
            city=city,
            owed=REQUIRED_SHARE,
            count=lambda number, one, many: f"{number} {one if number == 1 else many}",
        )

    def render(self, board: Board) -> Response[str]:
        """Render the page."""
        template = self._environment.get_template("status.html")
        body = template.render(board=board, overall=words.find_overall(board))
        return Response(body.encode(), media_type=HTML, headers={"Content-Security-Policy": _POLICY, **CACHED})
