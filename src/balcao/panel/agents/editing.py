"""The page for editing an agent. The prompt is checked before it is saved, and concurrent changes are merged."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.agents import client
from balcao.panel.agents.forms import (
    VersionForm,
    list_blocks,
    make_version_form,
    name_field,
    name_fields,
    read_labels,
    to_content,
    to_fields,
    to_typed,
)
from balcao.panel.agents.labels import name_agent
from balcao.panel.agents.rights import ACTIVATE, CREATE
from balcao.panel.agents.versions import agent_crumb, find_active, to_number
from balcao.panel.declaration import Pages
from balcao.panel.merge import Merged, merge
from balcao.panel.visit import Visit
from balcao.panel.working.service import begin_work, finish_work
from balcao.web.api import Conflict
from balcao.web.faults import make_not_found

pages = Pages("agents", "/agentes")
CHANGED = "version-changed"


@pages.form("/{agent}/editar", "Editar o agente", actions=[CREATE])
async def edit_agent(visit: Visit, agent: str) -> Response[Any]:
    """Save a new version.

    The form starts from the version in the address, else from the active version, else from the newest. If another
    version has become active since the form was opened, show the typed text merged with that version.
    """
    active = await find_active(visit, agent)
    newest = active.version if active else await _find_newest(visit, agent)
    present = await client.read_version(visit.api, agent, newest)
    # The merge base: the version that was active (or else the newest) when the form was opened. Both editors' changes
    # are compared with this version.
    opened = to_number(visit.posted.first("_etag") or str(newest))
    base = present if opened == newest else await client.read_version(visit.api, agent, opened)
    wanted = visit.query.first("versao")
    shown = await client.read_version(visit.api, agent, to_number(wanted)) if wanted else base
    blocks = list(
        dict.fromkeys(
            [*list_blocks(base, present, shown), *read_labels(visit.posted if visit.is_post else visit.draft)]
        )
    )
    values = to_fields(shown, blocks)
    form = make_version_form(blocks)(visit, values, etag=str(opened))
    if not visit.may(ACTIVATE):
        form.activate.data = False
        form.activate.render_kw = {"disabled": True}
    check, merged = None, None
    if form.is_sent and form.validate():
        check = await client.check_prompt(visit.api, agent, form.prompt.data or "", blocks)
        if visit.posted.first("fazer") != "conferir" and (check.ok or visit.posted.first("mesmo-assim")):
            merged = await _save(visit, agent, form, base, present, blocks)
            if form.result is not None:
                await finish_work(visit)
                return await visit.redirect(visit.address("agents.show_agent", agent=agent), form.result.message)
    return visit.render(
        "agents/edit.html",
        agent=agent,
        name=name_agent(agent),
        form=form,
        work=await begin_work(visit),
        shown=shown,
        blocks=[form[name_field(label)] for label in blocks],
        check=check,
        merged=merged,
        labels=name_fields(blocks),
        crumbs=[agent_crumb(visit, agent)],
        status=409 if merged else form.status,
    )


async def _find_newest(visit: Visit, agent: str) -> int:
    """Return the number of the newest version. The caller needs it for an agent without an active version.

    Raises PageFault if the agent has no versions.
    """
    found = await client.list_versions(visit.api, agent, limit=1)
    if not found.items:
        raise make_not_found()
    return found.items[0].version_number


async def _save(
    visit: Visit, agent: str, form: VersionForm, base: client.Version, present: client.Version, blocks: list[str]
) -> Merged | None:
    """Save the typed version, and store the response in `form.result`.

    After a concurrent change, save nothing and return the merged fields.
    """
    body = {
        "agent_type": agent,
        **to_content(form, present, blocks),
        "reason": form.reason.data,
        "activate": bool(form.activate.data) and visit.may(ACTIVATE),
    }
    if present.is_active:
        body["expected_version"] = base.version_number
    try:
        await form.submit(lambda: _send(visit, body))
    except _Overtaken:
        merged = merge(to_fields(base, blocks), to_fields(present, blocks), to_typed(form, blocks))
        for name, text in merged.values.items():
            form[name].data = text
        form.etag = str(present.version_number)
        return merged
    return None


class _Overtaken(Exception):
    """Raised if another version has become active since the form was opened."""


async def _send(visit: Visit, body: dict[str, Any]) -> client.Done:
    try:
        return await client.save_version(visit.api, body)
    except Conflict as fault:
        if fault.code == CHANGED:
            raise _Overtaken from fault
        raise
