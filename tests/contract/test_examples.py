"""Every example body in the descriptions is accepted by a platform with the demo data."""

from collections.abc import Mapping

import httpx

from balcao import app
from balcao.core.http.openapi import find_example
from balcao.core.http.operations import Operation
from balcao.core.http.shared_refusals import read_responses
from balcao.core.service import Service
from balcao.employability.hiring.paths import sandbox_job_id
from tests.contract.descriptions import list_undescribed
from tests.support.descriptions import read_description
from tests.support.issuer import bearer
from tests.support.operations import CLOSES_A_SERVICE, find_machine
from tests.support.sandbox import ADMIN, Sandbox

# Operations on a resource that no example creates first: a code, an invitation, a question, a vehicle, a pet, a CRM
# account, a plan.
OF_SOMETHING_MADE_BEFORE = {
    "access.apply_catalogue",
    "agents.replace_webhook",
    "health_units.change_notification",
    "health_units.close_notification",
    "health_units.replace_webhook",
    "registry.answer_vehicle_invitation",
    "registry.change_crm_consent",
    "registry.change_vehicle",
    "registry.confirm_phone",
    "registry.follow_request",
    "registry.identify_citizen",
    "registry.invite_vehicle_conductor",
    "registry.replace_opt_out_webhook",
    "registry.replace_pet",
    "registry.rate_request",
    "registry.reopen_request",
    "search.abort_migration",
    "search.change_proposal",
    "search.send_back_proposal",
}


def test_every_example_is_accepted(independent: Sandbox) -> None:
    """One test runs all examples, because some examples change data that others read.

    The path values come from the path's own examples.
    """
    refused, undescribed = [], []
    for service in app.SERVICES:
        service_document = read_description(service)
        paths = service_document["paths"]
        for operation in service.operations():
            if not operation.in_description or find_example(operation) is None:
                continue
            if operation.key == CLOSES_A_SERVICE:
                continue
            answer = send(independent, service, operation, {"X-Access-Reason": "Atendimento 7"})
            wanted = {404, 409} if operation.key in OF_SOMETHING_MADE_BEFORE else {200, 201, 202, 204}
            if answer.status_code not in wanted:
                refused.append(f"{operation.key}: {answer.status_code} {answer.text}")
            responses = read_responses(service_document, paths[operation.path][operation.method.lower()])
            described = responses.get(str(answer.status_code), {})
            undescribed += [f"{operation.key}: {name}" for name in list_undescribed(described, answer.headers)]
    assert (refused, undescribed) == ([], [])


def test_what_one_service_demands_of_the_demos_people_another_knows(independent: Sandbox) -> None:
    """Elisa may apply to V5, a job only for people with a disability.

    Her disability is stored in the registry (rules: employability 7).
    """
    elisa = bearer(independent.tokens.person("90000000507"))
    path = f"/jobs/api/v1/empregabilidade/vagas/{sandbox_job_id('V5')}/elegibilidade"
    found = independent.http.get(path, headers=elisa).json()
    assert {each["criterio"]: each["atendido"] for each in found["criterios"]} == {"termos_uso": True, "pcd": True}
    told = independent.http.get("/registry/v1/citizen/90000000507", headers=elisa).json()
    assert told["deficiencia"] == "Auditiva"


def send(
    sandbox: Sandbox,
    service: Service,
    operation: Operation,
    headers: Mapping[str, str] | None = None,
    made: Mapping[str, str] | None = None,
    who: str | None = None,
) -> httpx.Response:
    """Make the call as `who`, as a machine, as the owner if the rule allows it, or else as an administrator."""
    values = {name: str(marker.example) for name, marker in operation.signature.path.items()}
    if operation.key == "employability.replace_availability":
        values["id"] = sandbox.examples["availability_id"]
    if operation.key == "health_units.open_notification":
        values["cnes"] = sandbox.examples["cnes_quiet"]
    values |= made or {}
    if who is not None:
        token = sandbox.tokens.person(who)
    elif (machine := find_machine(operation)) is not None:
        token = sandbox.tokens.client(machine)
    else:
        token = sandbox.tokens.person(values["cpf"] if "cpf" in values and operation.rule.owner else ADMIN)
    path = service.prefix + service.base + operation.path.format(**values)
    return sandbox.http.request(
        operation.method, path, json=find_example(operation), headers=bearer(token) | dict(headers or {})
    )
