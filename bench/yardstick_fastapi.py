"""The first yardstick: the same five operations as one would write them on FastAPI with SQLAlchemy 2 async.

The same token verification with the same cache, the same rules, statements, tables and bodies, one log line a request.
Its favours: statements as text (no ORM), reads in autocommit, no ETag, no request id, no metrics, no access catalogue.
"""

import hashlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import httpx
from fastapi import Depends, FastAPI, HTTPException, Path, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import ARRAY, DateTime, Integer, Interval, LargeBinary, SmallInteger, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.sql.elements import TextClause
from sqlalchemy.types import TypeEngine

from balcao.core.access.caller import Caller
from balcao.core.access.tokens import TokenVerifier
from balcao.core.context.audit import HashKey
from balcao.core.database.pool import APPLICATION_ROLE
from balcao.core.errors import BalcaoError
from balcao.core.values.clock import rfc3339_offset, rfc3339_seconds
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.health_units.risk.store import _STATE
from bench.cases import ENQUEUE, KEEP_EVENT, READ_CONFIG, READ_PREFERENCES, RECORD, filled
from bench.stage import RUNTIME_CLIENT, WEBHOOK_CLIENT
from bench.yardstick_bodies import Acknowledgement, AgentConfig, Event, Preferences, Situation, TokenStatus, UnitRisk

POOL = 10
KEPT_CONFIGS = 1000
ZONE = ZoneInfo("America/Sao_Paulo")

engine = create_async_engine(
    os.environ["BENCH_DATABASE_URL"].replace("postgresql:", "postgresql+asyncpg:"),
    pool_size=POOL,
    max_overflow=0,
    connect_args={"server_settings": {"role": APPLICATION_ROLE, "timezone": "UTC"}},
)
reads = engine.execution_options(isolation_level="AUTOCOMMIT")
hash_key = HashKey(b"sandbox-hash-key", 1)


def _statement(sql: str, *types: TypeEngine[Any]) -> TextClause:
    """With parameters p1, p2, ... of these types."""
    names = [f"p{number}" for number in range(1, len(types) + 1)]
    typed = [bindparam(name, type_=kind) for name, kind in zip(names, types, strict=True)]
    return text(filled(sql, *(f":{name} " for name in names))).bindparams(*typed)  # a blank: `:p5::jsonb` is no name


T, B, AT = Text(), LargeBinary(), DateTime(timezone=True)
PREFERENCES = _statement(READ_PREFERENCES, T)
CONFIG = _statement(READ_CONFIG, Uuid())
KEEP = _statement(KEEP_EVENT, Uuid(as_uuid=False), T, T, AT, T, B, T, T)
ENQUEUED = _statement(ENQUEUE, ARRAY(Integer), ARRAY(T), ARRAY(B), ARRAY(Interval), ARRAY(T), ARRAY(T))
AUDIT = _statement(RECORD, Uuid(as_uuid=False), T, T, T, B, T, T, B, SmallInteger(), T, T, ARRAY(T), T, T)
RISKS = text(_STATE)


def _given(*values: Any) -> dict[str, Any]:
    return {f"p{number}": value for number, value in enumerate(values, start=1)}


risks: dict[str, UnitRisk] = {}
configs: dict[UUID, AgentConfig] = {}


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with httpx.AsyncClient() as client, reads.connect() as connection:
        app.state.tokens = TokenVerifier([os.environ["BENCH_ISSUER"]], "account", client)
        risks.update((row.cnes, _risk(row)) for row in await connection.execute(RISKS))
        await connection.close()
        yield
    await engine.dispose()


def _risk(row: Any) -> UnitRisk:
    if row.risco is None:
        return UnitRisk(cnes=row.cnes, notificacao_ativa=None, ultima_notificacao=None)
    at = rfc3339_seconds(row.ultima_atualizacao, ZONE)
    newest = Situation(risco=row.risco, status=row.status, ultima_atualizacao=at)
    active = newest if newest.status == "ativo" else None
    return UnitRisk(cnes=row.cnes, notificacao_ativa=active, ultima_notificacao=newest)


app = FastAPI(lifespan=lifespan)


@app.exception_handler(BalcaoError)
async def refused(_: Request, fault: BalcaoError) -> JSONResponse:
    return JSONResponse({"error": fault.message}, fault.status)


async def caller_of(request: Request) -> Caller:
    found: Caller = await request.app.state.tokens.caller(request.headers.get("authorization"))
    return found


CurrentCaller = Annotated[Caller, Depends(caller_of)]


def _require(allowed: bool) -> None:
    if not allowed:
        raise HTTPException(403)


@app.get("/registry/v1/citizen/{cpf}/notification-preferences")
async def read_preferences(cpf: str, caller: CurrentCaller, response: Response) -> Preferences:
    owner = Cpf.parse_path(cpf)
    _require(owner is not None and owner == caller.cpf)
    async with reads.connect() as connection:
        row = (await connection.execute(PREFERENCES, _given(cpf))).one()
    response.headers["Cache-Control"] = "no-store, private"
    return Preferences(cpf=cpf, opt_in=row.opt_in, category_opt_ins=json.loads(row.opt_ins), updated_at=row.updated_at)


@app.post("/registry/v1/webhooks/crm/cidadao", status_code=202)
async def receive_crm_event(event: Event, caller: CurrentCaller) -> Acknowledgement:
    _require(caller.client == WEBHOOK_CLIENT)
    cpf, request_id = Cpf(event.cpf), new_id()
    known = event.dados.model_dump(exclude_unset=True)
    dados = json.dumps(known)
    digest = hashlib.sha256(dados.encode()).digest()
    kept = (new_id(), cpf.digits, event.evento, event.updatedAt, dados, digest, caller.client, request_id)
    async with engine.begin() as connection:
        found = (await connection.execute(KEEP, _given(*kept))).scalar()
        if found is not None:
            job = ([0], ["crm_event"], [json.dumps({"event": found}).encode()], [timedelta(0)], [None], ["{}"])
            await connection.execute(ENQUEUED, _given(*job))
            trace = (new_id(), request_id, "registry.receive_crm_event", "event", hash_key.of(cpf), cpf.masked)
            by = ("client", None, hash_key.number, caller.client, "client:CRM_WEBHOOK_CLIENTS")
            await connection.execute(AUDIT, _given(*trace, *by, sorted(known), None, "done"))
    return Acknowledgement(
        cpf=cpf.masked, evento=event.evento, message="Evento recebido e enfileirado.", status="accepted"
    )


@app.get("/health-units/unidade/{cnes}/risco")
async def read_risk(
    cnes: Annotated[str, Path(pattern=r"^[0-9]{7}$")], caller: CurrentCaller, response: Response
) -> UnitRisk:
    _require(caller.is_person or "sms:read" in caller.scopes)
    found = risks.get(cnes)
    if found is None:
        raise HTTPException(404)
    response.headers["Cache-Control"] = "private, max-age=30"
    return found


@app.get("/agent/api/v1/agent-config/by-id/{config_id}")
async def read_config(config_id: UUID, caller: CurrentCaller, response: Response) -> AgentConfig:
    _require(caller.client == RUNTIME_CLIENT)
    found = configs.get(config_id) or await _config(config_id)
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return found


async def _config(config_id: UUID) -> AgentConfig:
    async with reads.connect() as connection:
        row = (await connection.execute(CONFIG, _given(config_id))).mappings().one_or_none()
    if row is None:
        raise HTTPException(404)
    fields = dict(row) | {"created_at": rfc3339_offset(row["created_at"])}
    found = configs[config_id] = AgentConfig.model_validate(fields)
    if len(configs) > KEPT_CONFIGS:
        configs.pop(next(iter(configs)))
    return found


@app.get("/agent/api/v1/auth")
async def check_token(caller: CurrentCaller, response: Response) -> TokenStatus:
    response.headers["Cache-Control"] = "no-store"
    return TokenStatus(status="ok")
