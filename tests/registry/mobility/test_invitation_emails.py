"""The e-mail about an invitation. If it fails, the invitation is still valid (rules: registry 4.8)."""

import re
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from balcao.core.context.platform import Platform
from balcao.core.mail import MailRefused, SmtpMailer
from balcao.registry.mobility.drivers import service as drivers
from balcao.settings import Settings
from tests.registry.mobility.garage import Garage
from tests.support.demo_people import ANA, BRUNO, CARLA
from tests.support.issuer import Issuer
from tests.support.smtp import MailServer

ADDRESS = "convidado@correio.example"


@pytest.fixture(scope="module")
def post() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory, post: MailServer) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        smtp_url=f"smtp://us%40er:se%3Anha@127.0.0.1:{post.port}",
        mail_from="balcao@portoaurora.example",
    )


@pytest.fixture
def held(garage: Garage) -> Iterator[str]:
    made = garage.registered(ANA)["id"]
    yield made
    garage.vehicle(ANA, made, "DELETE")


@pytest.fixture
def state(sql: Callable[..., Any]) -> Callable[[str], str]:
    def of(link: str) -> str:
        return str(sql("SELECT email_status FROM registry.vehicle_conductor WHERE id = $1", link)[0]["email_status"])

    return of


def due(sql: Callable[..., Any]) -> None:
    sql("UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'invite_email' AND status = 'queued'")


def test_the_invitee_gets_one_email_that_names_nobody(
    garage: Garage, held: str, post: MailServer, drain: Any, state: Any, sql: Any, settings: Settings
) -> None:
    link = garage.invited(ANA, held, BRUNO, name="Bruno Tavares", phone="21999990000")
    assert state(link) == "pending"
    payloads = [bytes(row["payload"]) for row in sql("SELECT payload FROM queue.pgqueuer")]
    assert payloads == [f'{{"conductor":"{link}"}}'.encode()]
    post.emails.clear()
    drain()
    assert state(link) == "sent"
    (email,) = post.emails
    assert (email["To"], email["From"]) == (ADDRESS, "balcao@portoaurora.example")
    assert parsedate_to_datetime(email["Date"]).tzinfo is not None
    assert re.fullmatch(r"<[^<>@\s]+@portoaurora\.example>", email["Message-ID"])
    whole = email.as_string() + email.get_content()
    assert not [word for word in ("Bruno", "Ana", BRUNO, ANA, "bicicleta", "21999990000") if word in whole]
    assert f"{settings.base_url}/minha-pagina/convites/{link}" in email.get_content()
    assert post.logins[-1] == ("us@er", "se:nha")
    shown = garage.conductors(ANA, held).json()["data"][0]
    assert shown["email_attempted_at"]


def test_three_refusals_fail_the_email_and_not_the_invitation_and_an_operator_may_ask_again(
    garage: Garage, held: str, post: MailServer, drain: Any, state: Any, sql: Any
) -> None:
    link = garage.invited(ANA, held, BRUNO)
    post.emails.clear()
    post.refusals = 3
    seen = []
    for _ in range(3):
        due(sql)
        drain()
        seen.append(state(link))
    assert seen == ["queued", "queued", "failed"]
    parked = sql("SELECT id FROM queue.pgqueuer WHERE status = 'failed' AND entrypoint = 'invite_email'")
    assert (len(parked), post.emails) == (1, [])
    log = sql("SELECT string_agg(traceback::text, ' ') AS kept FROM queue.pgqueuer_log")
    assert ADDRESS not in (log[0]["kept"] or "")
    assert garage.answer(BRUNO, link).status_code == 200
    again = garage.invited(ANA, held, CARLA)
    sql("UPDATE registry.vehicle_conductor SET email_status = 'failed', email_attempts = 3 WHERE id = $1", again)
    due(sql)
    drain()
    assert (state(again), len(post.emails)) == ("sent", 1)


_SENT_TODAY = """
INSERT INTO registry.vehicle_conductor (
    id, vehicle_id, conductor_cpf, status, email_status, email_attempted_at, notify_email, invited_by_cpf)
SELECT gen_random_uuid(), $1, '90000001147', 'revoked', 'sent', now(), $3, $4 FROM generate_series(1, $2)
"""


@pytest.mark.parametrize(
    ("column", "value", "most"),
    [
        ("notify_email", ADDRESS, drivers.MOST_TO_ADDRESS),
        ("invited_by_cpf", ANA, drivers.MOST_BY_CITIZEN),
    ],
)
def test_beyond_so_many_emails_in_a_day_an_invitation_goes_without(
    garage: Garage, held: str, post: MailServer, drain: Any, state: Any, sql: Any, column: str, value: str, most: int
) -> None:
    sql("UPDATE registry.vehicle_conductor SET email_attempted_at = now() - interval '2 days'")
    of_address, by_citizen = (value, None) if column == "notify_email" else (None, value)
    sql(_SENT_TODAY, held, most - 1, of_address, by_citizen)
    post.emails.clear()
    last, beyond = garage.invited(ANA, held, BRUNO), garage.invited(ANA, held, CARLA)
    drain()
    assert sorted([state(last), state(beyond)]) == ["sent", "skipped"]
    assert len(post.emails) == 1
    sql("UPDATE registry.vehicle_conductor SET email_attempted_at = now() - interval '25 hours'")


@pytest.mark.parametrize("address", ["-oX@correio.example", "|sh@correio.example"])
def test_an_address_that_a_mail_program_could_take_for_a_command_is_refused(
    garage: Garage, held: str, address: str
) -> None:
    answer = garage.invite(ANA, held, BRUNO, email=address)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "email-invalid")


def test_who_answered_before_gets_no_email(garage: Garage, held: str, post: MailServer, drain: Any, state: Any) -> None:
    link = garage.driving(ANA, held, BRUNO)
    post.emails.clear()
    drain()
    assert (state(link), post.emails) == ("skipped", [])


async def test_without_the_site_the_email_names_the_portal(
    garage: Garage, held: str, post: MailServer, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "has_site", False)
    link = garage.invited(ANA, held, BRUNO)
    post.emails.clear()
    await drivers.send_invitation(platform, {"conductor": link})
    (email,) = post.emails
    assert "/minha-pagina" not in email.get_content()
    assert 'abra "Convites de veículos"' in " ".join(email.get_content().split())


async def test_an_email_sent_is_not_sent_again(garage: Garage, held: str, post: MailServer, platform: Platform) -> None:
    link = garage.invited(ANA, held, BRUNO)
    post.emails.clear()
    for _ in range(2):
        await drivers.send_invitation(platform, {"conductor": link})
    assert len(post.emails) == 1
    assert garage.conductors(ANA, held).json()["data"][0]["email_status"] == "sent"


async def test_a_server_that_is_away_is_a_refusal_without_an_address(free_url: str) -> None:
    with pytest.raises(MailRefused) as refused:
        await SmtpMailer(free_url, "a@b.example").send(ADDRESS, "x", "y")
    assert refused.value.code == "mail-SMTPConnectError"


@pytest.fixture
def free_url() -> str:
    with MailServer() as gone:
        port = gone.port
    return f"smtp://127.0.0.1:{port}"


@pytest.mark.parametrize("url", ["http://mail.example", "smtp://", "mail.example", "smtp://mail.example/x"])
def test_an_address_that_is_no_mail_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="smtp"):
        Settings(smtp_url=url)


def test_an_invitee_who_refuses_messages_about_services_gets_no_email(
    garage: Garage, held: str, post: MailServer, drain: Any, state: Any
) -> None:
    path = f"/registry/v1/citizen/{CARLA}/notification-preferences/categories/services"
    assert garage.ask(CARLA, "PATCH", path, {"opt_in": False, "channel": "web"}).status_code == 200
    try:
        link = garage.invited(ANA, held, CARLA)
        post.emails.clear()
        drain()
        assert (state(link), post.emails) == ("skipped", [])
    finally:
        garage.ask(CARLA, "PATCH", path, {"opt_in": True, "channel": "web"})
