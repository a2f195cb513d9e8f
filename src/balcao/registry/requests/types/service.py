"""Read and edit request types. Each edit creates a new version (rules: registry 4.20)."""

import re

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.filters import CODE_LENGTH
from balcao.registry.requests.types import store
from balcao.registry.requests.types.kinds import KINDS, MOST_FIELDS, check_field
from balcao.registry.requests.types.schemas import (
    TYPE_ID,
    Definition,
    RequestType,
    RequestTypes,
    TypeCreation,
    TypeVersions,
)

NAME_LENGTH, DESCRIPTION_LENGTH, SERVICE_LENGTH = 80, 500, 100
MOST_DEPARTMENTS = 10
LONGEST_DEADLINE_DAYS = 365
MOST_TYPES = 500  # the public list returns all types in one response
FIELDS = ["request_type"]


async def list_request_types(call: Call, *, inactive: bool) -> RequestTypes:
    """Return the current version of each type. Inactive types are included only if `inactive` is true."""
    async with call.reader.connection() as connection:
        return RequestTypes(await store.list_request_types(connection, inactive))


async def read_request_type(call: Call, type_id: str, *, inactive: bool) -> RequestType:
    """Return the current version of a type. Raises NotFound for an unknown type.

    An inactive type counts as unknown unless `inactive` is true.
    """
    source = call.platform.database if inactive else call.reader
    found = await store.select_request_type(source, type_id) if re.fullmatch(TYPE_ID, type_id) else None
    if found is None or not (found.active or inactive):
        raise _unknown()
    return found


async def list_type_versions(call: Call, type_id: str, page: Page) -> TypeVersions:
    """Return a page of a type's versions, newest first. Raises NotFound for an unknown type."""
    async with call.platform.database.connection() as connection:
        found, total = (
            await store.list_type_versions(connection, type_id, page) if re.fullmatch(TYPE_ID, type_id) else ([], 0)
        )
    if not total:
        raise _unknown()
    return TypeVersions(found, page.of(total))


async def create_request_type(call: Call, body: TypeCreation) -> bytes:
    """Create a type, and return it as JSON.

    Raises Invalid for an invalid body, and Conflict if the id is taken or there are already `MOST_TYPES` types.
    """
    if not re.fullmatch(TYPE_ID, body.id):
        raise Invalid(
            "O campo `id` deve ter de 2 a 50 letras minúsculas sem acento, algarismos ou `_`, a começar por uma letra.",
            code="id-invalid",
        )
    definition = _check(body)
    async with call.platform.database.transaction() as connection:

        async def make() -> RequestType:
            await _require_departments(connection, definition)
            if await store.count_request_types(connection) >= MOST_TYPES:
                raise Conflict(f"Já há {MOST_TYPES} tipos de pedido.", code="request-type-limit")
            await store.insert_request_type(connection, body.id)
            return await _add_version(connection, call, body.id, 1, definition)

        return await run_once(connection, call, None, [body], make)


async def replace_request_type(call: Call, type_id: str, body: Definition) -> RequestType:
    """Create the next version of a type, unless nothing changes, and return the current version.

    Raises Invalid for an invalid body, NotFound for an unknown type, and PreconditionFailed if `If-Match` does not
    match.
    """
    definition = _check(body)
    async with call.platform.database.transaction() as connection:
        current = await store.lock_request_type(connection, type_id) if re.fullmatch(TYPE_ID, type_id) else None
        if current is None:
            raise _unknown()
        require_match(call.if_match, etag_of(msgspec.json.encode(current)))
        if _definition_of(current) == definition:
            return current
        await _require_departments(connection, definition)
        return await _add_version(connection, call, type_id, current.version + 1, definition)


async def hold_current_version(connection: Connection, type_id: str, version: int, *, anonymous: bool) -> RequestType:
    """Return the type's current version for a new request. No newer version is created until the transaction ends.

    Raises Invalid for an unknown type or version, and for a request without a login if the type does not allow it.
    Raises Conflict if the type is inactive or has a newer version.
    """
    found = await store.hold_request_type(connection, type_id) if re.fullmatch(TYPE_ID, type_id) else None
    if found is None:
        raise Invalid("Não há tipo de pedido com o `type` enviado.", code="request-type-unknown")
    if not 1 <= version <= found.version:
        raise Invalid("Este tipo de pedido não tem a `version` enviada.", code="request-type-version")
    if not found.active:
        raise Conflict("Este tipo de pedido não é mais atendido.", code="request-type-inactive")
    if version < found.version:
        text = "As perguntas deste pedido mudaram: leia o tipo de novo e confira as respostas."
        raise Conflict(text, code="request-type-changed")
    if anonymous and not found.without_login:
        raise Invalid("Este pedido só pode ser feito com login.", code="request-login-needed")
    return found


async def _add_version(
    connection: Connection, call: Call, type_id: str, number: int, definition: Definition
) -> RequestType:
    await store.insert_type_version(connection, type_id, number, definition)
    await call.platform.audit.record(connection, call, "create" if number == 1 else "update", fields=FIELDS)
    found = await store.select_type_version(connection, type_id, number)
    assert found is not None  # inserted above
    return found


def _definition_of(found: Definition) -> Definition:
    return Definition(**{name: getattr(found, name) for name in Definition.__struct_fields__})


def _check(body: Definition) -> Definition:
    """Return the definition with cleaned texts. Raises Invalid, which names the wrong member."""
    fields = [check_field(field) for field in body.fields]
    ids = [field.id for field in fields]
    if not 1 <= len(ids) <= MOST_FIELDS or len(set(ids)) < len(ids):
        raise Invalid(
            f"O campo `fields` deve ter de 1 a {MOST_FIELDS} campos, cada um com outro `id`.", code="fields-invalid"
        )
    if body.without_login and any(
        field.personal or (field.required and KINDS[field.kind].needs_login) for field in fields
    ):
        text = "Um pedido sem login (`without_login`) não pode ter um campo pessoal, nem exigir um arquivo."
        raise Invalid(text, code="without-login-personal")
    departments = [clean_text("departments", code, longest=CODE_LENGTH) for code in body.departments]
    if not 1 <= len(departments) <= MOST_DEPARTMENTS or len(set(departments)) < len(departments):
        raise Invalid(
            f"O campo `departments` deve ter de 1 a {MOST_DEPARTMENTS} códigos diferentes.", code="departments-invalid"
        )
    if not 1 <= body.deadline_days <= LONGEST_DEADLINE_DAYS:
        raise Invalid(f"O campo `deadline_days` deve ser de 1 a {LONGEST_DEADLINE_DAYS}.", code="deadline_days-invalid")
    return Definition(
        name=clean_text("name", body.name, longest=NAME_LENGTH),
        category=clean_text("category", body.category, longest=NAME_LENGTH),
        description=clean_text("description", body.description, longest=DESCRIPTION_LENGTH, shortest=0),
        service_id=clean_optional("service_id", body.service_id, longest=SERVICE_LENGTH),
        fields=fields,
        departments=departments,
        deadline_days=body.deadline_days,
        without_login=body.without_login,
        active=body.active,
    )


async def _require_departments(connection: Connection, definition: Definition) -> None:
    if await store.find_unknown_department(connection, definition.departments) is not None:
        raise Invalid("O campo `departments` tem um código que não é de um órgão.", code="departments-invalid")


def _unknown() -> NotFound:
    return NotFound("Não há tipo de pedido com este `id`.", code="request-type-unknown")
