"""The cost and the deadline of a service as data, in addition to their texts (rules: search 3.8)."""

import csv
import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from balcao.core.context.platform import Platform
from balcao.core.errors import Invalid
from balcao.core.values.clock import utc_now
from balcao.core.values.costs_and_deadlines import UNITS, describe_cost, describe_deadline
from balcao.search import SERVICE as SEARCH
from balcao.search.document import MOST_CENTS, MOST_UNITS, ServiceContent, ServiceCost, ServiceDeadline
from balcao.search.services import service as services
from balcao.search.services.content import list_content_changes, merge_content
from balcao.search.services.costs_and_deadlines import clean_cost
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing
from tests.search.freshness import Freshness
from tests.search.staff import EDITOR, Staff, with_required
from tests.search.support import act_as_staff, body, migrate, refusal
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

Answers: TypeAlias = Callable[[dict[str, Any]], list[dict[str, Any]]]

PUBLIC = "/search/api"
COST = {"tipo": "fixo", "valor_centavos": 3520, "moeda": "BRL", "isencao": "Quem está no Cadastro Único não paga."}
DEADLINE = {"unidade": "dias_uteis", "quantidade": 5}

cents = st.integers(1, MOST_CENTS)
exemptions = st.sampled_from(["", "Idosos não pagam.", "Isento com 👩🏽‍🌾 “aspas” & sinais"])
ranges = st.tuples(st.integers(0, MOST_CENTS - 1), cents).filter(lambda pair: pair[0] < pair[1])
costs = st.one_of(
    st.just(ServiceCost("gratis")),
    st.builds(ServiceCost, st.just("variavel"), isencao=exemptions),
    st.builds(ServiceCost, st.sampled_from(["fixo", "a_partir_de"]), cents, isencao=exemptions),
    st.builds(lambda pair, text: ServiceCost("faixa", pair[0], pair[1], isencao=text), ranges, exemptions),
)
deadlines = st.one_of(
    st.just(ServiceDeadline("imediato")),
    st.builds(ServiceDeadline, st.sampled_from(sorted(UNITS)), st.integers(1, MOST_UNITS)),
)
members = st.fixed_dictionaries(
    {}, optional={"custo": st.none() | costs, "prazo": st.none() | deadlines, "is_free": st.none() | st.booleans()}
) | st.fixed_dictionaries(
    {
        "custo_servico": st.sampled_from(["", "Gratuito", "R$ 35,20"]),
        "tempo_atendimento": st.sampled_from(["", "Na hora"]),
    }
)


def merge(stored: ServiceContent | None, **changes: Any) -> ServiceContent:
    return merge_content(body(**msgspec.to_builtins(changes)), stored, utc_now())


@pytest.fixture
def whole(staff: Staff) -> dict[str, Any]:
    """A published service with a cost and a deadline."""
    return staff.publish(custo=COST, prazo=DEADLINE)


@pytest.fixture
def answers(http: httpx.Client, issuer: Issuer, staff: Staff, freshness: Freshness, sql: Sql) -> Answers:
    """Return the members of a service in the response of each operation."""

    def run(service: dict[str, Any]) -> list[dict[str, Any]]:
        freshness.wait(sql)
        return list(list_answers(http, issuer, staff, service))

    return run


def list_answers(http: httpx.Client, issuer: Issuer, staff: Staff, service: dict[str, Any]) -> Iterator[dict[str, Any]]:
    path, name = f"/services/{service['id']}", service["nome_servico"]
    yield staff("GET", path).json()
    yield staff("GET", "/services", params={"field": "id", "value": service["id"]}).json()["services"][0]
    yield staff("GET", f"{path}/versions/1").json()
    proposal = staff("POST", f"{path}/proposals", json=service | {"resumo": "Proposto."})
    yield proposal.json()["content"]
    yield http.get(f"{PUBLIC}/v1/search/{service['id']}").json()
    yield http.get(f"{PUBLIC}/v2/search/{service['id']}").json()["data"]
    yield http.get(f"{PUBLIC}/v1/services/{service['slug']}").json()
    yield http.get(f"{PUBLIC}/v1/search", params={"q": f'"{name}"'}).json()["results"][0]["metadata"]
    yield http.get(f"{PUBLIC}/v2/search", params={"q": f'"{name}"'}).json()["results"][0]["data"]
    listed = http.get(f"{PUBLIC}/v1/categories", params={"filter_category": "Cidade", "per_page": 100}).json()
    yield next(one["metadata"] for one in listed["filtered_category"]["services"] if one["id"] == service["id"])
    token = issuer.machine("painel-saude", "catalogo:read")
    feed = http.get(f"{PUBLIC}/v1/catalog/services", params={"limit": 500}, headers=bearer(token)).json()
    yield next(one["service"] for one in feed["changes"] if one["id"] == service["id"])


@pytest.mark.usefixtures("empty_catalogue")
def test_every_operation_returns_the_cost_and_the_deadline(answers: Answers, whole: dict[str, Any]) -> None:
    assert (whole["custo_servico"], whole["tempo_atendimento"], whole["is_free"]) == (
        "R$ 35,20",
        "Até 5 dias úteis",
        False,
    )
    assert [(one["custo"], one["prazo"]) for one in answers(whole)] == [(COST, DEADLINE)] * 11


@pytest.mark.cases("search", "79")
@pytest.mark.usefixtures("empty_catalogue")
def test_a_service_without_them_is_answered_as_before(answers: Answers, staff: Staff, whole: dict[str, Any]) -> None:
    found = [list(one) for one in answers(staff.publish(custo=None))]
    assert not [name for one in found for name in ("custo", "prazo") if name in one]
    assert [[*one, "custo", "prazo"] for one in found] == [list(one) for one in answers(whole)]


@pytest.mark.cases("search", "77")
@pytest.mark.parametrize(("cost", "code"), read_values("search", "77"))
def test_a_cost_whose_parts_do_not_fit_is_refused_and_nothing_is_stored(
    staff: Staff, published: dict[str, Any], sql: Sql, cost: Any, code: str
) -> None:
    refuse(staff, published, sql, {"custo": cost}, code)


@pytest.mark.cases("search", "78")
@pytest.mark.parametrize(("deadline", "code"), read_values("search", "78"))
def test_a_deadline_whose_parts_do_not_fit_is_refused_and_nothing_is_stored(
    staff: Staff, published: dict[str, Any], sql: Sql, deadline: Any, code: str
) -> None:
    refuse(staff, published, sql, {"prazo": deadline}, code)


@pytest.fixture
def published(staff: Staff) -> dict[str, Any]:
    return staff.publish()


def refuse(staff: Staff, stored: dict[str, Any], sql: Sql, sent: dict[str, Any], code: str) -> None:
    path, counted = f"/services/{stored['id']}", "SELECT count(*) AS number FROM search.service_versions"
    (before,) = sql(counted)
    for method, place in (("POST", "/services"), ("PUT", path), ("POST", f"{path}/proposals")):
        answer = staff(method, place, json=with_required(**sent))
        assert refusal(answer) == (400, code)
        assert f"`{next(iter(sent))}" in answer.json()["error"]
    assert (staff("GET", path).json(), sql(counted)) == (stored, [before])
    assert staff("GET", f"{path}/proposals").json()["found"] == 0


@pytest.mark.cases("search", "80")
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"resumo": "Outro."}, {"custo", "prazo"}),
        ({"custo_servico": "R$ 40,00"}, {"prazo"}),
        ({"custo_servico": ...}, {"prazo"}),
        ({"is_free": True}, {"prazo"}),
        ({"is_free": None}, {"prazo"}),
        ({"tempo_atendimento": "Na hora"}, {"custo"}),
        ({"tempo_atendimento": "", "custo_servico": ""}, set()),
        ({"custo": None}, {"prazo"}),
        ({"prazo": None}, {"custo"}),
        ({"custo": COST, "custo_servico": "Só o material."}, {"custo", "prazo"}),
    ],
)
def test_an_older_client_never_leaves_a_false_price(
    staff: Staff, whole: dict[str, Any], sent: dict[str, Any], kept: set[str]
) -> None:
    known = {name: value for name, value in whole.items() if name not in ("custo", "prazo")} | sent
    known = {name: value for name, value in known.items() if value is not ...}
    proposed = staff("POST", f"/services/{whole['id']}/proposals", json=known | {"descricao_completa": "Outra."})
    saved = staff("PUT", f"/services/{whole['id']}", json=known)
    for answer in (proposed.json()["content"], saved.json()):
        assert {name for name in ("custo", "prazo") if name in answer} == kept


@pytest.mark.cases("search", "81")
def test_a_cost_decides_whether_the_service_is_free(staff: Staff) -> None:
    assert staff.create(custo={"tipo": "gratis"})["is_free"] is True
    assert staff.create(custo={"tipo": "gratis"}, is_free=None)["is_free"] is True
    assert staff.create(custo={"tipo": "variavel"})["is_free"] is False
    assert staff.create(custo=COST, is_free=False)["is_free"] is False
    for cost, is_free in (({"tipo": "gratis"}, False), ({"tipo": "variavel"}, True), (COST, True)):
        answer = staff("POST", "/services", json=with_required(custo=cost, is_free=is_free))
        assert refusal(answer) == (400, "is_free-invalid")


@pytest.mark.cases("search", "82")
def test_an_empty_text_follows_the_data_and_a_written_one_stays(staff: Staff, whole: dict[str, Any]) -> None:
    dearer, longer = COST | {"valor_centavos": 123456}, {"unidade": "meses", "quantidade": 1}
    path = f"/services/{whole['id']}"
    saved = staff("PUT", path, json=whole | {"custo": dearer, "prazo": longer}).json()
    assert (saved["custo_servico"], saved["tempo_atendimento"]) == ("R$ 1.234,56", "Até 1 mês")
    written = {"custo_servico": "R$ 1.234,56 por metro", "tempo_atendimento": "Depende da chuva"}
    saved = staff("PUT", path, json=saved | written).json()
    assert {name: saved[name] for name in written} == written
    saved = staff("PUT", path, json=saved | {"custo": COST, "prazo": DEADLINE}).json()
    assert {name: saved[name] for name in written} == written
    saved = staff("PUT", path, json=saved | dict.fromkeys(written, "")).json()
    assert (saved["custo_servico"], saved["tempo_atendimento"]) == ("R$ 35,20", "Até 5 dias úteis")


def test_versions_are_compared_and_restored_with_both(staff: Staff, whole: dict[str, Any]) -> None:
    path = f"/services/{whole['id']}"
    assert (
        staff("PUT", path, json=whole | {"custo": {"tipo": "gratis"}, "is_free": True, "prazo": None}).status_code
        == 200
    )
    compared = staff("GET", f"{path}/versions/compare", params={"from_version": 1, "to_version": 2}).json()
    changes = {
        one["field_name"]: (one["old_value"], one["new_value"], one["value_type"]) for one in compared["changes"]
    }
    assert changes == {
        "custo_servico": ("R$ 35,20", "Gratuito", "string"),
        "is_free": (False, True, "bool"),
        "custo": (COST, {"tipo": "gratis", "moeda": "BRL"}, "object"),
        "prazo": (DEADLINE, None, "object"),
    }
    entries = staff("GET", f"{path}/versions").json()["versions"]
    assert set(entries[0]["changed_fields"]) == set(changes)
    restored = staff("POST", f"{path}/rollback", json={"to_version": 1}).json()
    assert (restored["custo"], restored["prazo"], restored["is_free"]) == (COST, DEADLINE, False)


def test_a_proposal_with_a_price_is_published_as_it_was_read(staff: Staff, whole: dict[str, Any]) -> None:
    path, price = f"/services/{whole['id']}", COST | {"valor_centavos": 4000}
    proposal = staff(
        "POST", f"{path}/proposals", role=EDITOR, json=whole | {"custo": price, "awaiting_approval": True}
    ).json()
    assert (proposal["content"]["custo"], proposal["content"]["custo_servico"]) == (price, "R$ 40,00")
    assert proposal["changed_fields"] == ["custo_servico", "custo"]
    assert staff("POST", f"{path}/proposals/{proposal['id']}/publish").json()["custo"] == price


@pytest.mark.usefixtures("empty_catalogue")
async def test_no_schema_version_loses_or_adds_them(platform: Platform) -> None:
    call = act_as_staff(platform)
    made = [
        await services.create_service(call, body()),
        await services.create_service(call, body(custo=COST)),
        await services.create_service(call, body(custo={"tipo": "gratis"}, prazo=DEADLINE)),
    ]
    for version in ("v1", "v2", "v3"):
        assert (await migrate(platform, version)).status == "completed"
        assert [await services.read_service(call, one.id) for one in made] == made


@given(costs, deadlines)
def test_every_cost_and_deadline_is_accepted_and_read_back(cost: ServiceCost, deadline: ServiceDeadline) -> None:
    content = merge(None, custo=cost, prazo=deadline)
    assert (content.custo, content.prazo) == (cost, deadline)
    encoded = msgspec.json.encode(content)
    assert msgspec.json.decode(encoded, type=ServiceContent) == content
    assert None not in json.loads(encoded)["custo"].values()
    assert content.custo_servico == describe_cost(cost.tipo, cost.valor_centavos, cost.valor_maximo_centavos) != ""
    assert content.tempo_atendimento == describe_deadline(deadline.unidade, deadline.quantidade) != ""


@given(members, members)
def test_saving_what_was_read_changes_nothing(first: dict[str, Any], second: dict[str, Any]) -> None:
    """A client that knows the members, and one that does not, both send back what they read."""
    stored = None
    for changes in (first, second):
        cost, is_free = changes.get("custo"), changes.get("is_free")
        if cost is not None and is_free is not None:
            changes["is_free"] = cost.tipo == "gratis"
        stored = merge(stored, **changes)
        whole: dict[str, Any] = msgspec.to_builtins(stored)
        assert list_content_changes(stored, merge(stored, **whole)) == []
        older = {name: value for name, value in whole.items() if name not in ("custo", "prazo")}
        assert list_content_changes(stored, merge(stored, **older)) == []
        assert stored.custo is UNSET or stored.is_free == (stored.custo.tipo == "gratis")


@given(
    st.sampled_from(["gratis", "fixo", "a_partir_de", "faixa", "variavel"]),
    st.none() | st.integers(0, 3),
    st.none() | st.integers(1, 3),
)
def test_a_cost_is_accepted_exactly_if_the_table_allows_it(kind: Any, cents: int | None, most: int | None) -> None:
    allowed = {
        "gratis": cents is most is None,
        "variavel": cents is most is None,
        "fixo": (cents or 0) > 0 and most is None,
        "a_partir_de": (cents or 0) > 0 and most is None,
        "faixa": cents is not None and most is not None and cents < most,
    }
    try:
        clean_cost("custo", ServiceCost(kind, cents, most))
    except Invalid:
        assert not allowed[kind]
    else:
        assert allowed[kind]


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SEARCH) as run:
        yield functools.partial(run, kind="services")


def test_a_table_has_one_column_for_each_part(load: Load, tmp_path: Path, staff: Staff) -> None:
    required = {name: "|".join(value) if isinstance(value, list) else value for name, value in with_required().items()}
    priced = {"id": str(uuid4())} | required
    priced |= {
        "custo.tipo": "fixo",
        "custo.valor_centavos": "3520",
        "prazo.unidade": "imediato",
        "prazo.quantidade": "",
    }
    plain = {**priced, "id": str(uuid4())} | {name: "" for name in priced if "." in name}
    refused = {**priced, "id": str(uuid4()), "custo.valor_centavos": ""}
    file = tmp_path / "catalogo.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(priced))
        writer.writeheader()
        writer.writerows([priced, plain, refused])
    assert counts(load(file)) == (4, 2, 0, 1)
    saved = staff("GET", f"/services/{priced['id']}").json()
    assert (saved["custo"], saved["prazo"]) == (
        {"tipo": "fixo", "valor_centavos": 3520, "moeda": "BRL"},
        {"unidade": "imediato"},
    )
    assert not {"custo", "prazo"} & set(staff("GET", f"/services/{plain['id']}").json())
