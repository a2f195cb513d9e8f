"""Pages for agent versions: the timeline, one version, the differences between two versions, and activation."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.agents import client
from balcao.panel.agents.forms import ReasonForm, list_blocks, name_fields, to_fields
from balcao.panel.agents.labels import name_agent
from balcao.panel.agents.rights import ACTIVATE, CREATE, READ
from balcao.panel.declaration import Pages
from balcao.panel.diff import Change, compare
from balcao.panel.visit import Visit
from balcao.web.api import NotFound, gather_blocks
from balcao.web.faults import make_not_found
from balcao.web.forms import Form
from balcao.web.visit import Crumb
from balcao.web.words import parse_number

pages = Pages("agents", "/agentes")
CHANGES = {"prompt": "instruções", "config": "configuração", "both": "instruções e configuração"}
_LONGEST_NUMBER = 9  # nine digits always fit in a PostgreSQL integer


@pages.get("", "Instruções", actions=[READ], in_menu=True)
async def list_agents(visit: Visit) -> Response[Any]:
    """List the agent types with their active versions."""
    names = await client.list_agent_types(visit.api)
    # Each agent needs a separate API call, so show at most 25 agents.
    active = await gather_blocks(*(client.read_active(visit.api, name) for name in names[:25]))
    return visit.render("agents/agents.html", agents=list(zip(names, active, strict=False)), name_agent=name_agent)


@pages.get("/{agent}", "Agente", actions=[READ])
async def show_agent(visit: Visit, agent: str) -> Response[Any]:
    """Show an agent's versions as a timeline, newest first."""
    before = parse_number(visit.query.first("antes"))
    history = await client.list_versions(visit.api, agent, before=before)
    if not history.items and before is None:
        raise make_not_found()
    return visit.render(
        "agents/agent.html",
        agent=agent,
        name=name_agent(agent),
        history=history,
        changes=CHANGES,
        crumbs=[_agents_crumb(visit)],
    )


@pages.get("/{agent}/versoes/{number}", "Versão", actions=[READ])
async def show_version(visit: Visit, agent: str, number: str) -> Response[Any]:
    """Show one version, and its differences from the active version."""
    version = await client.read_version(visit.api, agent, to_number(number))
    active = await find_active(visit, agent)
    return visit.render(
        "agents/version.html",
        agent=agent,
        version=version,
        active=active,
        changes=CHANGES,
        crumbs=[_agents_crumb(visit), agent_crumb(visit, agent)],
    )


@pages.get("/{agent}/diferenca", "Diferença", actions=[READ])
async def compare_versions(visit: Visit, agent: str) -> Response[Any]:
    """Show the differences between two versions by field, with the changed words marked."""
    numbers = to_number(visit.query.first("de")), to_number(visit.query.first("para"))
    older, newer = [await client.read_version(visit.api, agent, number) for number in numbers]
    return visit.render(
        "agents/difference.html",
        agent=agent,
        older=older,
        newer=newer,
        changes=await _compare(older, newer),
        crumbs=[_agents_crumb(visit), agent_crumb(visit, agent)],
    )


@pages.form("/{agent}/versoes/{number}/ativar", "Usar esta versão", actions=[ACTIVATE])
async def activate_version(visit: Visit, agent: str, number: str) -> Response[Any]:
    """Activate a version. First show what will change."""
    active = await find_active(visit, agent)
    form = ReasonForm(visit, etag=str(active.version) if active else "")
    expected = parse_number(form.etag)
    if form.is_sent and await form.submit(
        lambda: client.activate_version(visit.api, agent, to_number(number), form.reason.data or "", expected)
    ):
        return await visit.redirect(visit.address("agents.show_agent", agent=agent), form.result.message)
    form.etag = str(active.version) if active else ""  # a resubmission replaces the version shown now
    version = await client.read_version(visit.api, agent, to_number(number))
    present = await client.read_version(visit.api, agent, active.version) if active else None
    return visit.render(
        "agents/move.html",
        form=form,
        title=f"Usar a versão {number}?",
        text="As próximas conversas já usam esta versão.",
        changes=await _compare(present, version) if present else [],
        action_label=f"Usar a versão {number}",
        back=visit.address("agents.show_version", agent=agent, number=number),
        crumbs=[_agents_crumb(visit), agent_crumb(visit, agent)],
        status=form.status,
    )


@pages.form("/{agent}/voltar", "Voltar à versão anterior", actions=[ACTIVATE])
async def roll_back(visit: Visit, agent: str) -> Response[Any]:
    """Activate the version that was active before the current version."""
    active = await find_active(visit, agent)
    form = ReasonForm(visit, etag=str(active.version) if active else "")
    expected = parse_number(form.etag)
    if form.is_sent and await form.submit(lambda: client.roll_back(visit.api, agent, form.reason.data or "", expected)):
        return await visit.redirect(visit.address("agents.show_agent", agent=agent), form.result.message)
    form.etag = str(active.version) if active else ""  # a resubmission replaces the version shown now
    return visit.render(
        "agents/move.html",
        form=form,
        title=f"Voltar da versão {active.version} à anterior?" if active else "Voltar?",
        text="As próximas conversas já usam a versão anterior. Se mudar de ideia, volte de novo para usar esta.",
        changes=None,
        action_label="Voltar à versão anterior",
        back=visit.address("agents.show_agent", agent=agent),
        crumbs=[_agents_crumb(visit), agent_crumb(visit, agent)],
        status=form.status,
    )


@pages.form("/{agent}/versoes/{number}/ocultar", "Ocultar a versão", actions=[CREATE])
async def hide_version(visit: Visit, agent: str, number: str) -> Response[Any]:
    """Permanently hide a version from the history. The service refuses to hide the active version."""
    form = Form(visit)
    back = visit.address("agents.show_agent", agent=agent)
    if form.is_sent and await form.submit(lambda: client.hide_version(visit.api, agent, to_number(number))):
        return await visit.redirect(back, f"A versão {number} não aparece mais no histórico.")
    return visit.render(
        "agents/move.html",
        form=form,
        title=f"Ocultar a versão {number}?",
        text="Ela sai do histórico e não pode mais ser usada. Não é possível desfazer.",
        changes=None,
        action_label=f"Ocultar a versão {number}",
        back=back,
        crumbs=[_agents_crumb(visit), agent_crumb(visit, agent)],
        status=form.status,
    )


async def find_active(visit: Visit, agent: str) -> client.ActiveConfig | None:
    """Return the active version, or None if no version is active."""
    try:
        return await client.read_active(visit.api, agent)
    except NotFound:
        return None


def to_number(text: str) -> int:
    """Parse a version number. Raises PageFault for any other string."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= _LONGEST_NUMBER):
        raise make_not_found()
    return int(text)


async def _compare(older: client.Version, newer: client.Version) -> list[Change]:
    blocks = list_blocks(older, newer)
    return await run_in_thread(compare, name_fields(blocks), to_fields(older, blocks), to_fields(newer, blocks))


def _agents_crumb(visit: Visit) -> Crumb:
    return Crumb("Instruções", visit.address("agents.list_agents"))


def agent_crumb(visit: Visit, agent: str) -> Crumb:
    """Return the breadcrumb of an agent."""
    return Crumb(name_agent(agent), visit.address("agents.show_agent", agent=agent))
