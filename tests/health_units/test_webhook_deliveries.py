"""The deliveries of a webhook: their attempts, and replays (rules: health_units 2.5)."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao.core.values.cnes import Cnes
from balcao.core.webhooks.sending import DELAYS
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.health_units.webhooks.store import MOST_TRIES
from balcao.settings import Settings
from tests.support.fixture_types import Drain, Sql
from tests.support.http_receiver import Answer, Receiver
from tests.support.issuer import Issuer
from tests.support.operator_calls import Act

UNKNOWN = "msg_00000000000040008000000000000000_1"
_codes = itertools.count(4500001)

Manage = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, webhook_private_addresses=True)


@pytest.fixture
def manage(http: httpx.Client, manager: dict[str, str]) -> Manage:
    return lambda method, path, body=None, **headers: http.request(
        method, f"/health-units{path}", json=body, headers=manager | headers
    )


@pytest.fixture
def receiver(sql: Sql) -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
    sql("DELETE FROM health_units.webhooks")
    sql("DELETE FROM queue.pgqueuer")


@pytest.fixture
def unit(act: Act) -> Cnes:
    cnes = Cnes(str(next(_codes)))
    act(units.put_unit, cnes, UnitBody(nome="Unidade", tipo=Tipo.CF))
    return cnes


@pytest.fixture
def path(manage: Manage, receiver: Receiver, unit: Cnes) -> str:
    """Create a webhook that follows only this unit, and return its path."""
    answer = manage("POST", "/avisos", {"url": f"{receiver.url}/avisos", "unidades": [unit.digits]})
    return f"/avisos/{answer.json()['id']}"


def list_deliveries(manage: Manage, path: str, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = manage("GET", f"{path}/entregas{query}").json()["itens"]
    return found


@pytest.mark.cases("health_units", "62")
def test_a_delivery_is_listed_with_its_tries_and_replayed_under_its_id(
    path: str, receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    receiver.usual = Answer(503)
    act(notifications.open_notification, unit, OpenBody(risco=Risco.VERMELHO))
    sql("UPDATE queue.pgqueuer SET attempts = $1", len(DELAYS))  # the next attempt will be the last one
    drain()
    (failed,) = list_deliveries(manage, path, "?falhas=true")
    assert (failed["tipo"], failed["cnes"], failed["ultimo_erro"]) == (
        "health_unit.risk_changed",
        unit.digits,
        "status-503",
    )
    assert (failed["entregue_em"], failed["pode_reenviar"]) == (None, True)
    receiver.usual = Answer(204)
    replay = f"{path}/entregas/{failed['mensagem']}/reenvio"
    for _ in range(2):  # a double click sends one delivery
        assert manage("POST", replay, **{"Idempotency-Key": "clique"}).status_code == 202
    drain()
    assert [told.headers["webhook-id"] for told in receiver.received] == [failed["mensagem"]] * 2
    assert receiver.received[0].body == receiver.received[1].body
    assert sql("SELECT FROM queue.pgqueuer") == []  # the replay restarted the dead-lettered job
    (taken,) = list_deliveries(manage, path)
    assert [each["erro"] for each in taken["tentativas"]] == ["status-503", None]
    assert (taken["ultimo_erro"], taken["entregue_em"] is None) == (None, False)
    assert list_deliveries(manage, path, "?falhas=true") == []
    assert manage("POST", replay).status_code == 202  # an accepted delivery gets a new job
    drain()
    assert len(receiver.received) == 3


def test_a_test_is_replayed_as_the_test_that_it_was(
    path: str, receiver: Receiver, drain: Drain, manage: Manage
) -> None:
    for _ in range(2):
        assert manage("POST", f"{path}/teste", **{"Idempotency-Key": "prova"}).status_code == 202
    drain()
    (sent,) = list_deliveries(manage, path)
    assert (sent["tipo"], sent["sequencia"], sent["cnes"]) == ("test", None, None)
    assert manage("POST", f"{path}/entregas/{sent['mensagem']}/reenvio").status_code == 202
    drain()
    assert {told.headers["webhook-id"] for told in receiver.received} == {sent["mensagem"]}
    assert len(list_deliveries(manage, path)[0]["tentativas"]) == 2


def test_what_cannot_be_sent_again_says_why(
    path: str, receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    act(notifications.open_notification, unit, OpenBody(risco=Risco.AMARELO))
    drain()
    (sent,) = list_deliveries(manage, path)
    replay = f"{path}/entregas/{sent['mensagem']}/reenvio"
    manage("PUT", path, {"url": receiver.url, "ativo": False})
    answers = [manage("POST", replay)]
    manage("PUT", path, {"url": receiver.url})
    sql("DELETE FROM health_units.change_feed")  # retention does this after seven days
    answers.append(manage("POST", replay))
    assert list_deliveries(manage, path)[0]["pode_reenviar"] is False
    answers += [manage("POST", f"{path}/entregas/{id}/reenvio") for id in (UNKNOWN, "x")]
    assert [(answer.status_code, answer.headers["Error-Code"]) for answer in answers] == [
        (409, "webhook-off"), (409, "delivery-too-old"), (404, "delivery-not-found"), (422, "webhook-id-invalid"),
    ]  # fmt: skip
    assert manage("GET", "/avisos/00000000-0000-4000-8000-000000000000/entregas").status_code == 404
    assert len(receiver.received) == 1


def test_deliveries_come_in_pages_with_their_total(path: str, manage: Manage, sql: Sql) -> None:
    sql(
        """INSERT INTO health_units.webhook_deliveries (aviso, mensagem, ultima_em, tentativas)
           SELECT $1::text::uuid, 'msg_' || n, now() - n * interval '1 minute', '[]' FROM generate_series(1, 5) AS n""",
        path.rpartition("/")[2],
    )
    pages = [manage("GET", f"{path}/entregas?limit=2&page={page}").json() for page in (1, 2, 3, 4)]
    assert [page["total"] for page in pages] == [5] * 4
    assert [[one["mensagem"] for one in page["itens"]] for page in pages] == [
        ["msg_1", "msg_2"],
        ["msg_3", "msg_4"],
        ["msg_5"],
        [],
    ]
    assert manage("GET", f"{path}/entregas?page=0").status_code == 422


def test_of_many_tries_the_newest_are_kept(path: str, drain: Drain, manage: Manage, sql: Sql) -> None:
    manage("POST", f"{path}/teste")
    drain()
    (sent,) = list_deliveries(manage, path)
    sql("""UPDATE health_units.webhook_deliveries SET tentativas = (
        SELECT jsonb_agg(jsonb_build_object('em', now(), 'erro', 'status-' || n)) FROM generate_series(1, 20) AS n)""")
    manage("POST", f"{path}/entregas/{sent['mensagem']}/reenvio")
    drain()
    errors = [each["erro"] for each in list_deliveries(manage, path)[0]["tentativas"]]
    assert errors == [*(f"status-{number}" for number in range(2, MOST_TRIES + 1)), None]


def test_a_second_new_secret_is_not_made_by_a_repetition(
    path: str, receiver: Receiver, manage: Manage, sql: Sql
) -> None:
    key = {"Idempotency-Key": "troca"}
    first, second = (manage("POST", f"{path}/segredo", **key).json()["segredo"] for _ in range(2))
    assert first == second
    assert sql("SELECT FROM platform.idempotent_answer WHERE encode(answer, 'escape') LIKE '%whsec%'") == []
    assert manage("POST", f"{path}/segredo").json()["segredo"] != first
    key, body = {"Idempotency-Key": "cadastro"}, {"url": receiver.url}
    assert manage("POST", "/avisos", body, **key).json() == manage("POST", "/avisos", body, **key).json()
    reused = manage("POST", "/avisos", body | {"ativo": False}, **key)
    assert (reused.status_code, reused.headers["Error-Code"]) == (409, "idempotency-key-reused")
