"""The wallet and the merged record of imported citizens, by caller (rules: registry 2.2, 3.2, 3.3)."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import msgspec
import pytest

from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.records import Mirror
from balcao.registry.person.citizens import personal_data as base_record
from balcao.registry.person.citizens.base import CitizenRow, format_citizen
from balcao.registry.person.citizens.merge import merge_record
from balcao.registry.person.wallet import api as wallet
from balcao.settings import Settings
from balcao_sandbox.demo.registry import invented
from tests.registry.import_runs import Load, importing, written
from tests.support.demo_people import ANA, BRUNO, KATIA
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal

UNKNOWN = "90000009981"
MEMBERS = ("documentos", "saude", "assistencia_social", "educacao")
BARE = Cpf.with_stem("912000001").digits


@pytest.fixture(scope="module", autouse=True)
def load(settings: Settings, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """Import a person with only a CPF, and nine generated citizens. One of the nine is Ana, who has every member."""
    lines: list[Any] = [*invented.make_citizens(9), {"cpf": BARE}]
    lines[0].educacao = invented.make_citizen(4).educacao or lines[3].educacao
    with importing(settings, database_url) as running:
        running(written(tmp_path_factory.mktemp("base") / "a", lines))
        yield running


@pytest.fixture
def read(http: httpx.Client) -> Callable[..., httpx.Response]:
    return lambda cpf, token, what="/wallet": http.get(f"/registry/v1/citizen/{cpf}{what}", headers=bearer(token))


def test_the_owner_sees_the_whole_wallet(read: Callable[..., httpx.Response], issuer: Issuer) -> None:
    answer = read(ANA, issuer.person(ANA))
    assert answer.headers["Cache-Control"] == "no-store, private"
    found = answer.json()
    assert set(found) == {"cpf", *MEMBERS}
    assert found["cpf"] == ANA
    assert found["saude"]["clinica_familia"]["fonte"] == "bigquery"
    assert set(found["saude"]["equipe_saude_familia"]["medicos"][0]) == {"id_profissional_sus", "nome"}
    assert found["assistencia_social"]["cadunico"]["data_cadastro"] == "2021-03-10T00:00:00-03:00"
    assert set(found["educacao"]["escola"]) >= {"nome", "horario_funcionamento", "whatsapp"}


@pytest.mark.parametrize(
    ("scopes", "covered"),
    [
        (["sms:read"], {"saude"}),
        (["sme:read"], {"educacao"}),
        (["rmi:pessoa-fisica:read"], {"documentos", "assistencia_social"}),
        (["sms:read", "sme:read", "rmi:pessoa-fisica:read"], set(MEMBERS)),
    ],
)
def test_a_machine_sees_what_its_scopes_cover(
    read: Callable[..., httpx.Response], issuer: Issuer, sql: Any, scopes: list[str], covered: set[str]
) -> None:
    answer = read(ANA, issuer.machine("painel-saude", *scopes))
    assert answer.status_code == 200
    assert {name for name in MEMBERS if answer.json()[name] is not None} == covered
    (event,) = sql("SELECT fields FROM platform.audit_event WHERE request_id = $1", answer.headers["X-Request-ID"])
    assert set(event["fields"]) == covered


def test_other_scopes_and_strangers_see_nothing(read: Callable[..., httpx.Response], issuer: Issuer) -> None:
    for token in (
        issuer.machine("painel-saude"),
        issuer.machine("painel-saude", "rmi:telefone:read", "smf:read"),
        issuer.person(BRUNO),
    ):
        assert read(ANA, token).status_code == 403


def test_what_is_not_known_is_null(read: Callable[..., httpx.Response], issuer: Issuer) -> None:
    assert read(BARE, issuer.person(BARE)).json() == {"cpf": BARE} | dict.fromkeys(MEMBERS)
    assert read(BARE, issuer.admin()).status_code == 200


@pytest.mark.parametrize("what", ["", "/wallet"])
def test_nothing_stored_is_a_fault_for_others_but_not_for_the_owner(
    read: Callable[..., httpx.Response], issuer: Issuer, what: str
) -> None:
    own = read(KATIA, issuer.person(KATIA), what)
    assert own.status_code == 200
    assert own.json()["cpf"] == KATIA
    assert refusal(read(KATIA, issuer.admin(), what)) == (404, "citizen-unknown")
    assert refusal(read(KATIA, issuer.machine("painel-saude", "rmi:pessoa-fisica:read"), what)) == (
        404,
        "citizen-unknown",
    )
    assert [read(cpf, issuer.person(ANA), what).status_code for cpf in (BRUNO, UNKNOWN, "123")] == [403] * 3
    assert refusal(read("123", issuer.admin(), what)) == (400, "cpf-invalid")


@pytest.mark.cases("registry", "A4")
def test_the_record_of_an_owner_of_whom_nothing_is_stored_has_every_member(
    read: Callable[..., httpx.Response], issuer: Issuer
) -> None:
    known, unknown = (read(cpf, issuer.person(cpf), "").json() for cpf in (ANA, KATIA))
    assert set(known) == set(unknown)
    assert unknown["_id"] == ""
    contacts = [unknown.pop(name) for name in ("email", "telefone", "endereco")]
    assert {name for name, value in unknown.items() if value is not None} == {"_id", "cpf"}
    assert contacts == [{"indicador": False, "principal": None, "alternativo": []}] * 3


@pytest.mark.cases("registry", "A3")
def test_a_token_with_a_punctuated_cpf_reads_it_too(read: Callable[..., httpx.Response], issuer: Issuer) -> None:
    dotted = "900.000.001-75"
    token = issuer.token(sub="person", azp="portal-cidadao", cpf=dotted)
    assert read(dotted, token, "").content == read(ANA, issuer.person(ANA), "").content


@pytest.mark.cases("registry", "A5")
@pytest.mark.parametrize("scopes", [(), ("rmi:telefone:read",)], ids=["record", "phone"])
def test_machines_see_a_phone_by_its_own_scope_and_never_what_is_sensitive(
    read: Callable[..., httpx.Response], issuer: Issuer, scopes: tuple[str, ...]
) -> None:
    found = read(ANA, issuer.machine("painel-saude", "rmi:pessoa-fisica:read", *scopes), "").json()
    hidden = ("mae", "raca", "genero", "deficiencia", "renda_familiar")
    assert {found[name] for name in hidden} == {None}
    assert (found["telefone"] is not None) == bool(scopes)
    assert found["nome"] == "Ana Beatriz Moreira"


def test_the_whole_base_record_shows(read: Callable[..., httpx.Response], issuer: Issuer) -> None:
    found = read(ANA, issuer.person(ANA), "").json()
    assert found["nascimento"]["data"] == "1997-03-14T00:00:00-03:00"
    assert found["mae"] == {"nome": "Helena Moreira", "cpf": "***.999.998-**"}
    assert found["menor_idade"] is False
    for contact in ("email", "telefone", "endereco"):
        assert found[contact]["indicador"] is True
        assert len(found[contact]["alternativo"]) == 1
    assert set(found["email"]["principal"]) - set(found["email"]["alternativo"][0]) == {"updated_at"}
    place = {"latitude", "longitude", "pluscode"}
    main, (other,) = found["endereco"]["principal"], found["endereco"]["alternativo"]
    assert (set(other) - set(main), set(main) - set(other)) == (place, {"updated_at"})
    assert {other[name] for name in place} == {"-22.5", "-43.25", "58GVGQ2X+22"}


def test_what_is_not_known_inside_an_object_is_null() -> None:
    record = {"nascimento": {"uf": "RJ"}, "mae": {"nome": "Helena"}, "obito": {"indicador": False}}
    citizen = msgspec.to_builtins(merge_record(Cpf(ANA), record, Mirror(False, {}, {})))
    born = {"data": None, "municipio_id": None, "municipio": None, "uf": "RJ", "pais_id": None, "pais": None}
    assert citizen["nascimento"] == born
    assert citizen["mae"] == {"nome": "Helena", "cpf": None}
    assert citizen["obito"] == {"indicador": False, "ano": None}


@pytest.mark.parametrize(
    ("sent", "shown"), [(-22.5, "-22.5"), (0.00001, "0.00001"), (-43, "-43.0"), ("-22.50", "-22.50")]
)
def test_a_place_is_shown_as_text_as_the_city_sent_it(sent: float | str, shown: str) -> None:
    place = {"latitude": sent, "longitude": None}
    row = msgspec.convert({"cpf": ANA, "endereco": {"alternativo": [place]}}, CitizenRow)
    citizen = merge_record(Cpf(ANA), msgspec.to_builtins(row), Mirror(False, {}, {}))
    (other,) = citizen.endereco.alternativo
    assert (other.latitude, other.longitude) == (shown, None)


@pytest.mark.parametrize("wrong", ["22,5", "N 22.5", "", "1e5", "-1234"])
def test_a_place_that_is_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"cpf": ANA, "endereco": {"alternativo": [{"latitude": wrong}]}}, CitizenRow)


@pytest.mark.parametrize(
    ("record", "minor"),
    [
        ({"nascimento": {"data": "2009-07-09"}}, True),
        ({"nascimento": {"data": "2008-11-21"}}, False),
        ({"nascimento": {"data": "2008-11-22"}}, True),
        ({"nascimento": {"data": "2008-11-21T00:00:00-03:00"}}, False),
        ({"nascimento": {"data": "2009-07-09"}, "menor_idade": False}, False),
        ({"nascimento": {"data": "1950-07-09"}, "menor_idade": True}, True),
        ({"nascimento": {"municipio": "Porto Aurora"}}, None),
        ({"menor_idade": True}, True),
        ({}, None),
    ],
    ids=str,
)
def test_who_is_a_minor_follows_from_the_birth_date_unless_the_city_says_it(
    record: dict[str, Any], minor: bool | None
) -> None:
    citizen = merge_record(Cpf(ANA), record, Mirror(False, {}, {}))
    assert format_citizen(citizen, ZoneInfo("America/Sao_Paulo"), date(2026, 11, 21)).menor_idade is minor


def test_the_export_holds_what_was_loaded_but_for_the_mothers_cpf(settings: Settings, database_url: str) -> None:
    async def exported(call: Any) -> Any:
        async with call.platform.database.connection() as connection:
            held = [await room.PERSONAL_DATA.export(connection, Cpf(ANA)) for room in (base_record, wallet)]
        return {**held[0], **held[1]}

    with acting(settings, database_url, "registry.export") as act:
        found = act(exported)
    loaded = msgspec.to_builtins(invented.make_citizen(1))
    shown = msgspec.to_builtins(found["registro_base"])
    assert shown.pop("mae") == loaded["mae"] | {"cpf": Cpf(loaded["mae"]["cpf"]).masked}  # another person's CPF
    assert shown.items() >= {name: loaded[name] for name in ("nome", "nascimento", "telefone")}.items()
    assert found["carteira"]["saude"] == loaded["saude"]
    assert base_record.PERSONAL_DATA.erase is wallet.PERSONAL_DATA.erase is None
