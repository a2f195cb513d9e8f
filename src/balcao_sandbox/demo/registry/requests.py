"""The demo city's request types, and its citizens' requests with their history."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from balcao.core.access.rules import Decision, Reason
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.files import service as person_files
from balcao.registry.person.files.schemas import CitizenFile
from balcao.registry.person.tickets import service as tickets
from balcao.registry.requests.lifecycle import handling, service
from balcao.registry.requests.lifecycle.schemas import NewRequest, RatingBody, RequestBody, StepBody, TextBody
from balcao.registry.requests.lifecycle.states import State
from balcao.registry.requests.lifecycle.store import count_requests
from balcao.registry.requests.types import service as types
from balcao.registry.requests.types.schemas import TypeCreation
from balcao_sandbox.demo.callers import act_as
from balcao_sandbox.demo.registry.photos import draw_photo
from balcao_sandbox.demo.request_types import read_requests
from balcao_sandbox.passing_time.store import age_request

CARLA = Cpf("90000000337")
OWN = Decision(Reason.OWNER, "self")


async def load_demo_requests(platform: Platform) -> None:
    """Create missing request types, and the requests if there are none. Changes by users remain."""
    call = operator_call(platform, "registry.demo")
    rows = read_requests()
    present = {kind.id for kind in (await types.list_request_types(call, inactive=True)).types}
    for row in rows["type"]:
        if row["id"] not in present:
            await types.create_request_type(call, msgspec.convert(row, TypeCreation))
    async with platform.database.connection() as connection:
        has_requests = await count_requests(connection) > 0
    if not has_requests:
        await platform.catalogue.reload()  # staff act with the rights that the access demo has just granted
        for row in rows["request"]:
            await _load_request(call, row)


async def _load_request(call: Call, row: Mapping[str, Any]) -> None:
    """Store a request and its history through the calls of the citizen and of staff, so that the trail names them."""
    cpf, answers = Cpf(row["cpf"]), dict(row["answers"])
    if "tomorrow" in row:
        tomorrow = utc_now().astimezone(call.zone).date() + timedelta(days=1)
        answers[row["tomorrow"]] = tomorrow.isoformat()
    for field, names in row.get("photos", {}).items():
        storing = _act_on_site(call, cpf, "registry.store_file")
        stored = [await person_files.store_file(storing, cpf, draw_photo(name)) for name in names]
        answers[field] = [msgspec.json.decode(file, type=CitizenFile).id for file in stored]
    opening = _act_on_site(call, cpf, "registry.open_request")
    opened = await service.open_request(opening, cpf, RequestBody(row["type"], 1, answers))
    number = msgspec.json.decode(opened, type=NewRequest).number
    for step in row["steps"]:
        await _age(call, number, step["days"])
        if "rating" in step:
            rating = _act_on_site(call, cpf, "registry.rate_request")
            await service.rate_request(rating, cpf, number, RatingBody(step["rating"], step["text"]))
        elif "reopening" in step:
            reopening = _act_on_site(call, cpf, "registry.reopen_request")
            await service.reopen_request(reopening, cpf, number, TextBody(step["reopening"]))
        else:
            staff, body = Cpf(step["staff"]), StepBody(State(step["state"]), step["text"])
            await handling.read_handled_request(_act_in_panel(call, staff, "registry.read_handled_request"), number)
            await handling.add_staff_step(_act_in_panel(call, staff, "registry.add_request_step"), number, body)
    await _age(call, number, row["days"])


def _act_on_site(call: Call, cpf: Cpf, operation: str) -> Call:
    return act_as(call.platform, cpf, operation, OWN, "site-cidadao")


def _act_in_panel(call: Call, staff: Cpf, operation: str) -> Call:
    return act_as(call.platform, staff, operation, Decision(Reason.GRANTED, "requests:handle"), "painel")


async def _age(call: Call, number: str, days: int) -> None:
    """Move the request's times back by some days, so that its history looks real."""
    async with call.platform.database.transaction() as connection:
        await age_request(connection, number, timedelta(days))


async def find_request_examples(platform: Platform) -> Mapping[str, Any]:
    """Return the number of Carla's newest request."""
    own_call = act_as(platform, CARLA, "registry.demo", OWN)  # a read by an operator would be in Carla's access list
    found = await tickets.list_tickets(own_call, CARLA, {}, Page(1, 100))
    own = [ticket.id for ticket in found.data if ticket.id.startswith("PED-")]
    return {"request_cpf": CARLA.digits, "request_number": own[0]} if own else {}
