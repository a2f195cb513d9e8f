"""E-mails sent to a real mail server, and written to the sandbox's folder."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from balcao.core import mail
from balcao.core.mail import MailFolder, MailRefused, SmtpMailer, create_mailer
from balcao.settings import Settings
from tests.support.smtp import MailServer

SENDER = "balcao@portoaurora.example"
ADDRESS = "convidada@correio.example"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a file with a key and a self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "servidor de teste")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + made.public_bytes(Encoding.PEM))
    return path


@pytest.fixture
def encrypting(certificate: Path) -> Iterator[MailServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with MailServer(context) as running:
        yield running


@pytest.fixture
def plain() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


async def test_a_server_that_offers_encryption_gets_it_and_then_the_password(
    encrypting: MailServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(ssl, "create_default_context", lambda *_, **__: trusting)
    mailer = SmtpMailer(f"smtp://us%40er:se%3Anha@127.0.0.1:{encrypting.port}", SENDER)
    await mailer.check()
    assert (encrypting.logins, encrypting.emails) == ([("us@er", "se:nha")], [])
    await mailer.send(ADDRESS, "Situação", "Olá, Conceição.\n")
    (email,) = encrypting.emails
    assert (email["To"], email["From"], email["Subject"]) == (ADDRESS, SENDER, "Situação")
    assert email.get_content().splitlines() == ["Olá, Conceição."]
    assert encrypting.encrypted == [True]


async def test_a_certificate_that_nobody_vouches_for_is_a_refusal(encrypting: MailServer) -> None:
    mailer = SmtpMailer(f"smtp://us:senha@127.0.0.1:{encrypting.port}", SENDER)
    with pytest.raises(MailRefused):
        await mailer.send(ADDRESS, "x", "y")
    with pytest.raises(MailRefused):
        await mailer.check()
    assert (encrypting.logins, encrypting.emails) == ([], [])


async def test_a_password_leaves_this_machine_encrypted_or_not_at_all(plain: MailServer) -> None:
    """127.0.0.2 reaches the server, but the platform does not treat it as the local machine."""
    with pytest.raises(MailRefused):
        await SmtpMailer(f"smtp://us:senha@127.0.0.2:{plain.port}", SENDER).send(ADDRESS, "x", "y")
    assert (plain.logins, plain.emails) == ([], [])


async def test_a_refusal_names_neither_the_address_nor_the_servers_words(plain: MailServer) -> None:
    plain.refusals = 1
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain.port}", SENDER)
    with pytest.raises(MailRefused) as refused:
        await mailer.send(ADDRESS, "x", "y")
    assert str(refused.value) == "mail-SMTPDataError"
    for address in ("a@b.example\nBcc: all@b.example", "joão@"):
        with pytest.raises(MailRefused):
            await mailer.send(address, "x", "y")
    assert plain.emails == []


@pytest.mark.parametrize("before", ["", "Situação "])
async def test_an_encoded_word_that_somebody_wrote_is_shown_and_never_decoded(plain: MailServer, before: str) -> None:
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain.port}", SENDER)
    await mailer.send(ADDRESS, f"{before}=?utf-8?q?Pague_=52=24_50?= já", "y")
    (email,) = plain.emails
    assert email["Subject"] == f"{before}= ?utf-8?q?Pague_=52=24_50?= já"


@pytest.mark.parametrize("local", ["=?utf-8?q?todos=40cidade.example=2C?=", "=?utf-8?q?todos?="])
async def test_an_address_that_decodes_to_another_one_is_refused(plain: MailServer, local: str) -> None:
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain.port}", SENDER)
    with pytest.raises(MailRefused) as refused:
        await mailer.send(f"{local}@correio.example", "x", "y")
    assert (str(refused.value), plain.emails) == ("mail-ValueError", [])


async def test_an_email_that_is_sent_again_is_known_by_its_id(plain: MailServer) -> None:
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain.port}", SENDER)
    for _ in range(2):
        await mailer.send(ADDRESS, "x", "y", key="7.1")
    await mailer.send(ADDRESS, "x", "y")
    same, again, other = (email["Message-ID"] for email in plain.emails)
    assert same == again == "<7.1@portoaurora.example>"
    assert other != same
    assert {email["Auto-Submitted"] for email in plain.emails} == {"auto-generated"}


async def test_the_address_for_one_click_is_on_one_line(plain: MailServer) -> None:
    address = f"https://servicos.cidade.example/registry/v1/unsubscribe/{'Ab-_9' * 60}"
    await SmtpMailer(f"smtp://127.0.0.1:{plain.port}", SENDER).send(ADDRESS, "Situação", "y", unsubscribe=address)
    (email,), (source,) = plain.emails, plain.sources
    header = f"\r\nList-Unsubscribe: <{address}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
    assert header.encode() in source
    assert email["Subject"] == "Situação"


async def test_the_sandbox_keeps_the_newest_emails_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = create_mailer(Settings(data_dir=tmp_path))
    assert isinstance(folder, MailFolder)
    assert list(folder.list_emails()) == []
    monkeypatch.setattr(mail, "MOST_IN_FOLDER", 2)
    for number in range(3):
        await folder.send(ADDRESS, f"Situação {number}", f"Olá, Conceição {number}.\n")
    kept = list(folder.list_emails())
    assert [email["Subject"] for email in kept] == ["Situação 1", "Situação 2"]
    assert kept[0].get_content() == "Olá, Conceição 1.\n"
    assert folder.folder.stat().st_mode & 0o077 == 0


def test_production_without_a_mail_server_has_no_mailer(tmp_path: Path) -> None:
    assert create_mailer(Settings(data_dir=tmp_path, profile="production")) is None
    assert isinstance(create_mailer(Settings(data_dir=tmp_path, smtp_url="smtp://mail.example")), SmtpMailer)
