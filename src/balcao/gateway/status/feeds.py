"""The status in formats for programs: JSON for the city's own pages and monitors, Atom for subscribers."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

import msgspec

from balcao.core.http.responses import JSON, Response
from balcao.core.live.incidents import Incident
from balcao.core.values.clock import format_rfc3339
from balcao.gateway.status.board import Board
from balcao.gateway.status.page import CACHED
from balcao.gateway.status.words import find_overall, list_titles

ATOM = "application/atom+xml; charset=utf-8"
_NAMESPACE = "http://www.w3.org/2005/Atom"
# Every character that XML 1.0 forbids because its production Char does not contain it.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_json(board: Board) -> Response[Any]:
    """Return the board as JSON. `availability` is a share from 0 to 1, or null if there were no calls."""
    body = {
        "read_at": board.read_at,
        "current": board.is_current,
        "state": find_overall(board) if board.is_current else "unknown",
        "services": [
            {
                "name": service.name,
                "title": service.title,
                "state": service.state,
                "message": service.message,
                "availability": service.availability,
                "days": [{"day": day.day, "availability": day.availability} for day in service.days],
            }
            for service in board.services
        ],
        "incidents": [_describe_incident(incident) for incident in (*board.open, *board.resolved)],
        "planned_maintenance": [
            {"service": each.name, "message": each.value, "begins_at": each.begins_at, "ends_at": each.ends_at}
            for each in board.planned
        ],
    }
    return Response(msgspec.json.encode(body), media_type=JSON, headers=CACHED)


def _describe_incident(incident: Incident) -> dict[str, Any]:
    return {
        "number": incident.number,
        "title": incident.title,
        "services": incident.services,
        "severity": incident.severity,
        "opened_at": incident.opened_at,
        "resolved_at": incident.resolved_at,
        "notes": [{"at": when, "text": words} for when, words in zip(incident.written, incident.notes, strict=True)],
    }


def to_atom(board: Board, titles: Mapping[str, str], address: str) -> Response[Any]:
    """Return a feed with an entry for each incident note and each planned maintenance, newest first.

    `address` is the address of the platform, which is part of every entry's id.
    """
    page = f"{address}/status"
    entries = sorted(_list_entries(board, titles, page), key=lambda entry: entry[2], reverse=True)
    feed = ElementTree.Element("feed", xmlns=_NAMESPACE)
    _add(feed, "title", "Situação dos serviços")
    _add(feed, "id", page)
    _add(feed, "updated", format_rfc3339(entries[0][2] if entries else board.read_at))
    ElementTree.SubElement(feed, "link", rel="alternate", type="text/html", href=page)
    ElementTree.SubElement(feed, "link", rel="self", type="application/atom+xml", href=f"{address}/status.atom")
    author = ElementTree.SubElement(feed, "author")
    _add(author, "name", "Balcão")
    for key, title, moment, words, link in entries:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "title", title)
        _add(entry, "id", key)
        _add(entry, "updated", format_rfc3339(moment))
        ElementTree.SubElement(entry, "link", rel="alternate", type="text/html", href=link)
        _add(entry, "content", words)
    body = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(body, media_type=ATOM, headers=CACHED)


def _list_entries(board: Board, titles: Mapping[str, str], page: str) -> Iterator[tuple[str, str, datetime, str, str]]:
    """Yield the id, title, time, text and link of each entry. An id is unique and never changes."""
    for incident in (*board.open, *board.resolved):
        link = f"{page}#incidente-{incident.number}"
        last = len(incident.notes)
        for place, (moment, words) in enumerate(zip(incident.written, incident.notes, strict=True), 1):
            ends = incident.resolved_at is not None and place == last
            title = f"{incident.title}{' (resolvido)' if ends else ''}: {list_titles(incident.services, titles)}"
            yield f"{link}-{place}", title, moment, words, link
    for change in board.planned:
        title = f"Manutenção planejada: {list_titles([change.name], titles)}"
        key = f"{page}#manutencao-{change.name}-{change.changed_at.timestamp():.0f}"
        yield key, title, change.changed_at, change.value, page


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    # Replace these characters: a single one would make the whole feed unreadable.
    ElementTree.SubElement(parent, name).text = _FORBIDDEN.sub("", text)
