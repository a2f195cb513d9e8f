"""The Salesforce-style routes of the sandbox CRM."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao_sandbox.crm.connections import close
from balcao_sandbox.crm.faults import Mode, Operation, Reset
from balcao_sandbox.crm.objects import ACCOUNT, ANONYMISATION, CASE, CASE_STEP, ENTITIES, Entity
from balcao_sandbox.crm.records import Record
from balcao_sandbox.crm.refusals import Refused, make_invalid_field, make_not_found
from balcao_sandbox.crm.routes import Route, SandboxCrm
from balcao_sandbox.crm.soql import Query, parse_query
from balcao_sandbox.crm.state import Act, Reply, Sandbox, SandboxCall

Written = dict[str, Any]

# The limits of Salesforce's REST API.
LONGEST_URI = 16_384
MOST_RECORDS = 2_000  # the maximum number of records in a response
# In 2025, Salesforce retired the API versions before 31. In October 2026, 68 is the newest version.
OLDEST_VERSION, NEWEST_VERSION = 31, 68

OTHER_ACCOUNT = "001DUPLICADA000000"  # the second account in the fault mode `duplicate`


async def give_token(request: Request, crm: SandboxCrm) -> Response[Any]:
    sandbox = crm.sandbox
    form = dict(parse_qsl((request.content or b"").decode("utf-8", "replace")))

    def act(_: Mode | None) -> Reply:
        if form.get("grant_type") != "client_credentials":
            return _refuse_token(400, "unsupported_grant_type")
        if (form.get("client_id"), form.get("client_secret")) != crm.client:
            return _refuse_token(401, "invalid_client")
        token = {"access_token": sandbox.issue_token(), "instance_url": f"http://{request.headers.text(b'host')}"}
        return Reply(200, token | {"token_type": "Bearer", "issued_at": str(int(time.time() * 1_000))})

    return await _perform(request, sandbox, "token", None, [], act)


async def query(request: Request, crm: SandboxCrm, version: str) -> Response[Any]:
    sandbox = crm.sandbox
    try:
        parsed = parse_query(request.query().get("q", ""))
    except Refused as refused:
        return await _perform(request, sandbox, "query", None, [], _raise(refused))

    def act(fault: Mode | None) -> Reply:
        # In the fault mode `misdirected`, simulate a CRM that ignores filters and returns other people's records. The
        # platform must not show them.
        asked = replace(parsed, conditions=()) if fault == "misdirected" else parsed
        records = [_select_fields(parsed, record) for record in sandbox.records.select(asked)]
        if fault == "duplicate" and parsed.entity == ACCOUNT.name:
            records += [record | {"Id": OTHER_ACCOUNT} for record in records]
        shown = {"totalSize": len(records), "done": len(records) <= MOST_RECORDS, "records": records[:MOST_RECORDS]}
        further = {} if shown["done"] else {"nextRecordsUrl": f"/services/data/{version}/query/01g-{MOST_RECORDS}"}
        return Reply(200, shown | further)

    return await _perform(request, sandbox, "query", parsed.find_equal("CPF__c"), list(parsed.fields), act)


async def read(request: Request, crm: SandboxCrm, _version: str, name: str, record_id: str) -> Response[Any]:
    sandbox = crm.sandbox

    def act(_: Mode | None) -> Reply:
        entity = _find_entity(name)
        return Reply(200, _describe_record(entity.name, record_id) | sandbox.records.get(entity, record_id))

    return await _perform(request, sandbox, "get", _find_cpf_of_record(sandbox, name, record_id), [], act)


async def create(request: Request, crm: SandboxCrm, _version: str, name: str) -> Response[Any]:
    sandbox = crm.sandbox
    written = _parse_object(request)

    def act(_: Mode | None) -> Reply:
        return _create_record(sandbox, _find_entity(name), _require_object(written))

    return await _perform(request, sandbox, "create", _find_cpf(written), list(written or ()), act)


async def update(request: Request, crm: SandboxCrm, _version: str, name: str, record_id: str) -> Response[Any]:
    sandbox = crm.sandbox
    written = _parse_object(request)

    def act(_: Mode | None) -> Reply:
        entity = _find_entity(name)
        _update_record(sandbox, entity, sandbox.records.get(entity, record_id), _require_object(written))
        return Reply(204)

    return await _perform(
        request, sandbox, "update", _find_cpf_of_record(sandbox, name, record_id), list(written or ()), act
    )


async def upsert(request: Request, crm: SandboxCrm, _version: str, name: str, external: str, key: str) -> Response[Any]:
    sandbox = crm.sandbox
    written = _parse_object(request)

    def act(fault: Mode | None) -> Reply:
        entity = _find_entity(name)
        if external != entity.external or external in _require_object(written):
            raise make_invalid_field(external)
        matches = sandbox.records.find(entity, external, key)
        if fault == "duplicate" or len(matches) > 1:
            return Reply(300, [f"/services/data/sobjects/{name}/{record['Id']}" for record in matches])
        if not matches:
            return _create_record(sandbox, entity, {**_require_object(written), external: key})
        _update_record(sandbox, entity, matches[0], _require_object(written))
        return Reply(200, _describe_saved(matches[0], created=False))

    cpf = _find_cpf(written) or key.partition("|")[0]
    return await _perform(request, sandbox, "upsert", cpf, list(written or ()), act)


_DATA = "/services/data/{version}"
_VERSION = re.compile(rb"/services/data/v([0-9]{1,3})\.0/")
ROUTES: list[Route] = [
    ("POST", "/services/oauth2/token", give_token),
    ("GET", f"{_DATA}/query", query),
    ("GET", f"{_DATA}/sobjects/{{name}}/{{record_id}}", read),
    ("POST", f"{_DATA}/sobjects/{{name}}", create),
    ("PATCH", f"{_DATA}/sobjects/{{name}}/{{record_id}}", update),
    ("PATCH", f"{_DATA}/sobjects/{{name}}/{{external}}/{{key}}", upsert),
]


async def _perform(
    request: Request, sandbox: Sandbox, operation: Operation, cpf: str | None, fields: list[str], act: Act
) -> Response[Any]:
    headers = request.headers
    call = SandboxCall(operation, cpf, fields, headers.text(b"authorization"), headers.text(b"x-request-id"))
    refusal = _find_refusal(request)
    try:
        reply = await sandbox.perform(call, act if refusal is None else _raise(refusal))
    except Reset:
        await close()
        return Response(status=204)
    content = reply.content
    if content is not None and not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False).encode()
    return Response(content or b"", status=reply.status, headers=reply.headers)


def _find_refusal(request: Request) -> Refused | None:
    """Return the error for a path that is too long or has an API version that is not supported.

    Return None if the path is valid.
    """
    if len(request.path) + 1 + len(request.query_string) > LONGEST_URI:
        return Refused(414, "URI_TOO_LONG", f"The URI exceeds {LONGEST_URI} bytes")
    found = _VERSION.match(request.path)
    if found is None:
        return None if request.path.startswith(b"/services/oauth2/") else make_not_found()
    if int(found[1]) < OLDEST_VERSION:
        return Refused(410, "UNSUPPORTED_API_VERSION", f"API versions before v{OLDEST_VERSION}.0 are retired")
    return make_not_found() if int(found[1]) > NEWEST_VERSION else None


def _refuse_token(status: int, error: str) -> Reply:
    return Reply(status, {"error": error, "error_description": error.replace("_", " ")})


def _raise(refused: Refused) -> Act:
    def act(_: Mode | None) -> Reply:
        raise refused

    return act


def _parse_object(request: Request) -> Written | None:
    """Parse the body as a JSON object. Return None for any other body."""
    try:
        body = json.loads(request.content or b"")
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _require_object(written: Written | None) -> Written:
    if written is None:
        raise Refused(400, "JSON_PARSER_ERROR", "The body is not a JSON object")
    return written


def _find_entity(name: str) -> Entity:
    if name not in ENTITIES:
        raise make_not_found()
    return ENTITIES[name]


def _find_cpf(written: Written | None) -> str | None:
    cpf = (written or {}).get("CPF__c")
    return cpf if isinstance(cpf, str) else None


def _find_cpf_of_record(sandbox: Sandbox, name: str, record_id: str) -> str | None:
    try:
        return _find_cpf(sandbox.records.get(_find_entity(name), record_id))
    except Refused:
        return None


def _create_record(sandbox: Sandbox, entity: Entity, written: Mapping[str, Any]) -> Reply:
    record = sandbox.records.insert(entity, written)
    _echo(sandbox, entity, record, written)
    if entity is ANONYMISATION:
        sandbox.anonymise_later(record)
    elif entity is CASE:
        sandbox.cases.progress_later(record)
    elif entity is CASE_STEP:
        sandbox.cases.take_step(record)
    return Reply(201, _describe_saved(record, created=True))


def _update_record(sandbox: Sandbox, entity: Entity, record: Record, written: Mapping[str, Any]) -> None:
    sandbox.records.update(entity, record, written)
    _echo(sandbox, entity, record, written)


def _echo(sandbox: Sandbox, entity: Entity, record: Record, written: Mapping[str, Any]) -> None:
    account = sandbox.records.get(ACCOUNT, record[entity.account]) if entity.account else record
    sandbox.webhooks.echo(entity, record, written, account)


def _describe_saved(record: Record, *, created: bool) -> Written:
    return {"id": record["Id"], "success": True, "errors": [], "created": created}


def _select_fields(parsed: Query, record: Record) -> Record:
    return _describe_record(parsed.entity, record["Id"]) | {name: record[name] for name in parsed.fields}


def _describe_record(name: str, record_id: str) -> Written:
    return {"attributes": {"type": name, "url": f"/services/data/sobjects/{name}/{record_id}"}}
