"""Explains decisions: makes the same decision as every process, and returns its reasons (rules: access 2.4, 4.1)."""

from dataclasses import replace

from balcao.access.catalogue.authority import describe_right
from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.catalogue.service import record_read
from balcao.access.decisions import history, store
from balcao.access.decisions.schemas import (
    ExplainedAction,
    ExplainedMapping,
    ExplainedWay,
    ExplainQuery,
    Explanation,
)
from balcao.access.users.service import PLATFORM_PREFIX
from balcao.core.access.caller import Caller
from balcao.core.access.decisions import decide_match
from balcao.core.access.reach import describe_group
from balcao.core.access.rules import Decision, Reason
from balcao.core.access.snapshot import Action, Match, Snapshot
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.offloading import run_in_thread
from balcao.core.values.cpf import Cpf

EXPLAIN = "decision:explain"
# The maximum number of changes to undo when an earlier version is rebuilt. Undoing this number takes less than a
# second. For an older version, an operator restores a backup.
MOST_CHANGES = 20_000
_NO_MAPPING = Decision(Reason.NO_MAPPING)


async def explain_decision(call: Call, query: ExplainQuery) -> Explanation:
    """Return the decision on a request or an action by the caller, another person or a machine.

    Raises Forbidden if the query needs `EXPLAIN` and the caller lacks it. Raises NotFound for an unknown action, and
    for a version that cannot be rebuilt. Callers need no right to explain their own current requests.
    """
    caller = call.identified_caller
    subject = Cpf(query.subject) if query.subject else None
    concerns_another = subject is not None and subject != caller.cpf
    if (concerns_another or query.has_assumptions) and not call.holds(EXPLAIN):
        raise call.lacks(EXPLAIN)
    if concerns_another:
        await record_read(call, CatalogueEvent("decision.explain", "user", subject=subject))
    assumed = _assume_caller(caller, subject, query)
    snapshot = call.platform.catalogue.snapshot
    if query.at_version is not None:
        snapshot = await read_catalogue_version(call, snapshot, query.at_version, assumed.cpf)
    if query.method is None or query.path is None:
        action = _find_action(snapshot, query.action)
        reason = Reason.GRANTED if snapshot.grants(assumed, action.key) else Reason.NOT_GRANTED
        return _describe(snapshot, None, action, Decision(reason), assumed)
    match = snapshot.match(query.method.value, query.path)
    decision = decide_match(match, assumed, snapshot, call.platform.client_lists) if match else _NO_MAPPING
    return _describe(snapshot, match, match.action if match else None, decision, assumed)


def _find_action(snapshot: Snapshot, key: str | None) -> Action:
    """Return the action with this key. Raises NotFound if it is unknown or no role can grant it."""
    found = next((action for action in snapshot.actions.values() if action.key == key), None)
    if found is None or found.key.startswith(PLATFORM_PREFIX):
        raise NotFound("Não há ação com essa chave.", code="action-not-found")
    return found


async def read_catalogue_version(call: Call, present: Snapshot, version: int, cpf: Cpf | None) -> Snapshot:
    """Return an earlier version of the catalogue that contains only this person (rules: access 2.5).

    Raises NotFound if the version cannot be rebuilt.
    """
    hashes = [hashed.hex() for hashed in call.platform.audit.list_hashes(cpf)] if cpf else []
    async with call.platform.database.connection() as connection:
        if version > present.version or version < (await store.find_oldest_version(connection) or 1):
            raise history.make_version_unavailable()
        events = await store.list_changes_between(connection, version, present.version, hashes, MOST_CHANGES + 1)
    if len(events) > MOST_CHANGES:
        raise history.make_version_unavailable()
    return await run_in_thread(history.rebuild_snapshot, present, version, events, cpf, hashes)


def _assume_caller(caller: Caller, subject: Cpf | None, query: ExplainQuery) -> Caller:
    """Return the caller to assume.

    Another person or a machine starts without token roles and scopes, because the caller's token is not theirs.
    `roles`, `scopes` and `client` in the query replace those of the assumed caller.
    """
    if subject is not None and subject != caller.cpf:
        caller = replace(caller, cpf=subject, roles=frozenset(), scopes=frozenset(), client="", is_machine=False)
    elif subject is None and query.client is not None:
        caller = replace(caller, cpf=None, roles=frozenset(), scopes=frozenset(), is_machine=True)
    return replace(
        caller,
        roles=caller.roles if query.roles is None else _split(query.roles),
        scopes=caller.scopes if query.scopes is None else _split(query.scopes),
        client=caller.client if query.client is None else query.client,
    )


def _split(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",") if name.strip())


def _describe(
    snapshot: Snapshot, match: Match | None, action: Action | None, decision: Decision, caller: Caller
) -> Explanation:
    mapping = None
    if match is not None:
        found = match.mapping
        mapping = ExplainedMapping(
            found.id, found.method, found.path_pattern, found.service, found.operation, found.guard
        )
    via, reach = [], None
    if action is not None and decision.reason is Reason.GRANTED:
        ways = [way for way in snapshot.list_ways(caller) if way.role.grants(action.key)]
        groups = {group.name: group for group in snapshot.groups_of(caller.cpf)}
        via = [
            ExplainedWay(way.role.name, way.source, way.group, describe_group(way.group, groups[way.group].attributes))
            if way.group
            else ExplainedWay(way.role.name, way.source, None, {})
            for way in ways
        ]
        reach = describe_right(snapshot, caller.cpf, caller.roles, action.key)
    return Explanation(
        decision="allow" if decision.allowed else "deny",
        reason=decision.reason,
        mapping=mapping,
        action=ExplainedAction(action.id, action.name, action.description) if action is not None else None,
        via=via,
        reach=reach,
        matched=match.values if match is not None else {},
        catalogue_version=snapshot.version,
    )
