"""Values that no store, clock or calendar can hold, in every parameter and every member of every operation."""

import http.client
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import msgspec
import pytest

from balcao import app
from balcao.core.access.rules import MACHINE
from balcao.core.http.dialects import Dialect
from balcao.core.http.responses import EVENTS
from balcao.core.service import Service
from tests.contract.hostile_calls import Sent, Target, list_targets
from tests.support.issuer import Issuer, bearer
from tests.support.operations import find_machine
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import report
from tests.support.sandbox import ADMIN, Sandbox

pytestmark = pytest.mark.long

SHUT_OUT = {401, 403, 429}


@pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)
def test_no_value_anywhere_is_a_fault_of_ours(
    independent: Sandbox, issuer: Issuer, service: Service, record_property: Any
) -> None:
    """No call is refused because of its rule. Each succeeds, or is rejected in the operation's error format."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with closing(http.client.HTTPConnection(independent.url.removeprefix("http://"), timeout=PATIENCE)) as connection:
        caller = Caller(connection, issuer)
        for target in list_targets(service):
            statuses: Counter[int] = Counter()
            for sent in target.calls():
                status, content = caller.call(target, sent)
                statuses[status] += 1
                where = f"{target.operation.key}, {sent.place}, {sent.value}"
                faults += [f"{where}: {fault}" for fault in judge(target, status, content)]
            counts += Counter(operations=1, parameters=len(target.parameters), members=len(target.members))
            counts["calls"] += statuses.total()
            if statuses and set(statuses) <= SHUT_OUT and not decides_by_path(target):
                faults.append(f"{target.operation.key}: the rule refused every call")
    record_property("counts", dict(counts))
    report(f"{service.name}: {dict(counts)}")
    assert faults == []


def decides_by_path(target: Target) -> bool:
    """Return whether the access decision depends on the only parameter, which is the owner's CPF or a checked path."""
    names = {name for _, name in target.parameters}
    return names == {"cpf"} or target.operation.key.startswith("access.check_path_")


def judge(target: Target, status: int, content: bytes) -> Iterator[str]:
    """Yield the faults in a response."""
    if not 200 <= status < 500:
        yield f"{status} {content[:200]!r}"
    elif status >= 400 and not is_worded(target.operation.dialect, content):
        yield f"{status}, not in the dialect: {content[:200]!r}"


def is_worded(dialect: Dialect, content: bytes) -> bool:
    """Return whether a refusal contains the members that the operation's error format requires."""
    shapes = (dialect.schema, dialect.items_schema) if dialect.items_schema else (dialect.schema,)
    try:
        msgspec.json.decode(content, type=shapes[0])
    except msgspec.ValidationError:
        if len(shapes) == 1:
            return False
        try:
            msgspec.json.decode(content, type=shapes[1])
        except msgspec.ValidationError:
            return False
    return True


class Caller:
    """Makes calls with the required right, over one connection.

    After a 429 it continues as another person.
    """

    def __init__(self, connection: http.client.HTTPConnection, issuer: Issuer) -> None:
        self._http = connection
        self._issuer = issuer
        self._numbers = itertools.count()
        self._tokens: dict[str, str] = {}

    def call(self, target: Target, sent: Sent) -> tuple[int, bytes]:
        """Return the status and the body. Read only the start of an event stream."""
        status, content = self._send(target, sent)
        if status == 429:
            self._tokens.clear()
            status, content = self._send(target, sent)
        return status, content

    def _send(self, target: Target, sent: Sent) -> tuple[int, bytes]:
        headers = bearer(self._token(target)) | dict(sent.headers)
        self._http.request(target.operation.method, sent.path, body=sent.content, headers=headers)
        answer = self._http.getresponse()
        if answer.headers.get_content_type() == EVENTS:
            self._http.close()
            return answer.status, b""
        return answer.status, answer.read()

    def _token(self, target: Target) -> str:
        rule, path = target.operation.rule, target.operation.signature.path
        only_machines = rule.action == MACHINE and not rule.owner
        who = (find_machine(target.operation) or "crm-sandbox") if only_machines else ADMIN
        if rule.action == MACHINE and rule.owner:
            who = str(path["cpf"].example)
        if who not in self._tokens:
            sub = f"{who}-{next(self._numbers)}"
            if only_machines:
                self._tokens[who] = self._issuer.machine(who, "catalogo:read", "rmi:consentimento:check", sub=sub)
            else:
                self._tokens[who] = self._issuer.admin(who, sub=sub)
        return self._tokens[who]
