"""The Salesforce-style routes of the sandbox CRM."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from litestar import Request, Response, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from balcao.crm.sandbox.connections import close
from balcao.crm.sandbox.faults import Operation, Reset
from balcao.crm.sandbox.objects import ACCOUNT, ANONYMISATION, ENTITIES, Entity
from balcao.crm.sandbox.records import Record
from balcao.crm.sandbox.refusals import Refused, not_found, unknown_field
from balcao.crm.sandbox.soql import Query, parse
from balcao.crm.sandbox.state import Act, Asked, Reply, Sandbox

Call = Request[Any, Any, Any]
Current = NamedDependency[Sandbox]
Written = dict[str, Any]

OTHER_ACCOUNT = "001DUPLICADA000000"  # of the mode `duplicate`


@post("/services/oauth2/token")
async def give_token(request: Call, sandbox: Current) -> Response[Any]:
    form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
    wanted: tuple[str, str] = request.app.state.client

    def act(_: bool) -> Reply:
        if form.get("grant_type") != "client_credentials":
            return _no_token(400, "unsupported_grant_type")
        if (form.get("client_id"), form.get("client_secret")) != wanted:
            return _no_token(401, "invalid_client")
        token = {"access_token": sandbox.new_token(), "instance_url": str(request.base_url).rstrip("/")}
        return Reply(200, token | {"token_type": "Bearer", "issued_at": request.app.state.milliseconds()})

    return await _answer(request, sandbox, "token", None, [], act)


@get("/services/data/{version:str}/query")
async def query(request: Call, sandbox: Current) -> Response[Any]:
    try:
        wanted = parse(request.query_params.get("q", ""))
    except Refused as refused:
        return await _answer(request, sandbox, "query", None, [], _raising(refused))

    def act(duplicated: bool) -> Reply:
        found = sandbox.records.select(wanted)
        records = [_selected(wanted, record) for record in found]
        if duplicated and wanted.entity == ACCOUNT.name:
            records += [record | {"Id": OTHER_ACCOUNT} for record in records]
        return Reply(200, {"totalSize": len(records), "done": True, "records": records})

    return await _answer(request, sandbox, "query", wanted.equals("CPF__c"), list(wanted.fields), act)


@get("/services/data/{version:str}/sobjects/{name:str}/{record_id:str}")
async def read(request: Call, sandbox: Current, name: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    def act(_: bool) -> Reply:
        entity = _entity(name)
        return Reply(200, _attributes(entity.name, record_id) | sandbox.records.get(entity, record_id))

    return await _answer(request, sandbox, "get", _cpf_of(sandbox, name, record_id), [], act)


@post("/services/data/{version:str}/sobjects/{name:str}")
async def create(request: Call, sandbox: Current, name: FromPath[str]) -> Response[Any]:
    written = await _written(request)

    def act(_: bool) -> Reply:
        return _created(sandbox, _entity(name), _object(written))

    return await _answer(request, sandbox, "create", _cpf_in(written), list(written or ()), act)


@patch("/services/data/{version:str}/sobjects/{name:str}/{record_id:str}")
async def update(request: Call, sandbox: Current, name: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    written = await _written(request)

    def act(_: bool) -> Reply:
        entity = _entity(name)
        _changed(sandbox, entity, sandbox.records.get(entity, record_id), _object(written))
        return Reply(204)

    return await _answer(request, sandbox, "update", _cpf_of(sandbox, name, record_id), list(written or ()), act)


@patch("/services/data/{version:str}/sobjects/{name:str}/{external:str}/{key:path}")
async def upsert(
    request: Call, sandbox: Current, name: FromPath[str], external: FromPath[str], key: FromPath[str]
) -> Response[Any]:
    written, key = await _written(request), key.removeprefix("/")

    def act(duplicated: bool) -> Reply:
        entity = _entity(name)
        if external != entity.external or external in _object(written):
            raise unknown_field(external)
        matches = sandbox.records.having(entity, external, key)
        if duplicated or len(matches) > 1:
            return Reply(300, [f"/services/data/sobjects/{name}/{record['Id']}" for record in matches])
        if not matches:
            return _created(sandbox, entity, {**_object(written), external: key})
        _changed(sandbox, entity, matches[0], _object(written))
        return Reply(200, _saved(matches[0], created=False))

    return await _answer(request, sandbox, "upsert", key.partition("|")[0], list(written or ()), act)


ROUTES: list[HTTPRouteHandler] = [give_token, query, read, create, update, upsert]


async def _answer(
    request: Call, sandbox: Sandbox, operation: Operation, cpf: str | None, fields: list[str], act: Act
) -> Response[Any]:
    headers = request.headers
    asked = Asked(operation, cpf, fields, headers.get("Authorization"), headers.get("X-Request-ID"))
    try:
        reply = await sandbox.perform(asked, act)
    except Reset:
        await close(request)
        return Response(None, status_code=204)
    content = reply.content
    if content is not None and not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False).encode()
    return Response(content, status_code=reply.status, media_type="application/json", headers=reply.headers)


def _no_token(status: int, error: str) -> Reply:
    return Reply(status, {"error": error, "error_description": error.replace("_", " ")})


def _raising(refused: Refused) -> Act:
    def act(_: bool) -> Reply:
        raise refused

    return act


async def _written(request: Call) -> Written | None:
    """The body's object; None for anything else."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _object(written: Written | None) -> Written:
    if written is None:
        raise Refused(400, "JSON_PARSER_ERROR", "The body is not a JSON object")
    return written


def _entity(name: str) -> Entity:
    if name not in ENTITIES:
        raise not_found()
    return ENTITIES[name]


def _cpf_in(written: Written | None) -> str | None:
    cpf = (written or {}).get("CPF__c")
    return cpf if isinstance(cpf, str) else None


def _cpf_of(sandbox: Sandbox, name: str, record_id: str) -> str | None:
    try:
        return _cpf_in(sandbox.records.get(_entity(name), record_id))
    except Refused:
        return None


def _created(sandbox: Sandbox, entity: Entity, written: Mapping[str, Any]) -> Reply:
    record = sandbox.records.insert(entity, written)
    sandbox.webhooks.echo(entity, record, written)
    if entity is ANONYMISATION:
        sandbox.anonymise_later(record)
    return Reply(201, _saved(record, created=True))


def _changed(sandbox: Sandbox, entity: Entity, record: Record, written: Mapping[str, Any]) -> None:
    sandbox.records.update(entity, record, written)
    sandbox.webhooks.echo(entity, record, written)


def _saved(record: Record, *, created: bool) -> Written:
    return {"id": record["Id"], "success": True, "errors": [], "created": created}


def _selected(wanted: Query, record: Record) -> Record:
    return _attributes(wanted.entity, record["Id"]) | {name: record[name] for name in wanted.fields}


def _attributes(name: str, record_id: str) -> Written:
    return {"attributes": {"type": name, "url": f"/services/data/sobjects/{name}/{record_id}"}}
