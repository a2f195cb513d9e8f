"""`balcao init`: write what an installation in production needs, from a few answers."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from balcao import __version__
from balcao.cli.files import write_files
from balcao.cli.init_portal import write_portal
from balcao.cli.options import Replace
from balcao.cli.portuguese import Commands
from balcao.core import logs
from balcao.operate.deploy import production
from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation, Server
from balcao.operate.deploy.files import File
from balcao.operate.deploy.production import Secrets
from balcao.operate.faults import OperatorFault
from balcao.operate.gateway_config import generate_gateway
from balcao.settings import Settings, SettingsError
from balcao.settings.types import split

init = Commands(help="Arquivos de uma instalação em produção e de um portal.")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


@init.callback()
def group() -> None:
    """Arquivos de uma instalação em produção e de um portal."""


init.command("portal")(write_portal)


@init.command("production")
def write_production(
    public_url: Annotated[
        str, typer.Option(help="O endereço que as pessoas veem: https://balcao.cidade.example.")
    ] = "",
    auth_issuer: Annotated[str, typer.Option(help="O emissor dos tokens, como o provedor se chama.")] = "",
    database: Annotated[str, typer.Option(help="O PostgreSQL: ENDEREÇO:PORTA.")] = "localhost:5432",
    database_name: Annotated[str, typer.Option(help="O nome do banco; os papéis se chamam como ele.")] = "balcao",
    gateway: Annotated[
        GatewayKind, typer.Option(help="O programa que fica diante dos processos.")
    ] = GatewayKind.HAPROXY,
    server: Annotated[
        list[str] | None, typer.Option(help="Processo que o gateway chama: ENDEREÇO:PORTA. Pode repetir-se.")
    ] = None,
    certificate: Annotated[str, typer.Option(help="O certificado, no gateway.")] = Frontend.certificate,
    certificate_key: Annotated[str, typer.Option(help="A chave do certificado.")] = Frontend.certificate_key,
    https_port: Annotated[int, typer.Option(min=1, max=65535, help="A porta de HTTPS do gateway.")] = 443,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="A que leva a HTTPS; 0: nenhuma.")] = 80,
    allow_loopback_issuer: Annotated[
        bool, typer.Option("--allow-loopback-issuer", help="Aceita um provedor nesta máquina por http.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65534, help="A porta dos processos.")] = 8080,
    management_port: Annotated[
        int, typer.Option(min=1, max=65534, help="A de métricas e prontidão; a do worker é a seguinte.")
    ] = Installation.management_port,
    management_host: Annotated[
        str, typer.Option(help="O endereço em que elas escutam; de outra máquina vê-se o desta.")
    ] = Installation.management_host,
    replica: Annotated[
        list[str] | None, typer.Option(help="Réplica do banco, para leituras: ENDEREÇO:PORTA. Pode repetir-se.")
    ] = None,
    redis_url: Annotated[str, typer.Option(help="Redis ou Valkey de várias máquinas: redis://..., rediss://...")] = "",
    traces_url: Annotated[str, typer.Option(help="O coletor de rastros: http://coletor:4318.")] = "",
    program: Annotated[str, typer.Option(help="O comando, como está instalado no servidor.")] = Installation.program,
    image: Annotated[str, typer.Option(help="A imagem de contêiner: NOME:VERSÃO.")] = f"balcao:{__version__}",
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("production"),
    replace: Replace = False,
) -> None:
    """Escreve configuração com segredos, papéis do banco, serviços do systemd, contêineres, Kubernetes e gateway."""
    logs.configure("error")
    # Who is asked for what must be said is asked for what may be, too.
    is_asked = sys.stdin.isatty() and not (public_url and auth_issuer)
    installation = Installation(
        public_url=public_url or _ask("--public-url", "Endereço público (https://...)"),
        auth_issuer=auth_issuer or _ask("--auth-issuer", "Emissor dos tokens (https://.../realms/cidade)"),
        database=database,
        database_name=database_name,
        allow_loopback_issuer=allow_loopback_issuer,
        port=port,
        management_port=management_port,
        management_host=management_host,
        replicas=tuple(replica or split(_offer(is_asked, "Réplicas do banco (ENDEREÇO:PORTA, por vírgula)"))),
        redis_url=redis_url or _offer(is_asked, "Redis ou Valkey de várias máquinas (rediss://...)"),
        traces_url=traces_url or _offer(is_asked, "Coletor de rastros (http://coletor:4318)"),
        program=program,
        image=image,
        folder=str(folder),
    )
    _refuse_unusable(installation)
    files = production.generate(installation, Secrets.of(folder))
    settings = _check(files)
    servers = server or [f"127.0.0.1:{port}"]
    front = Frontend(certificate, certificate_key, https_port, http_port)
    files |= {f"gateway/{path}": file for path, file in generate_gateway(gateway, settings, servers, front).items()}
    write_files(folder, files, replace=replace)
    print(
        f"Agora, nesta ordem: {folder}/{production.ROLES} no banco, os arquivos .env em /etc/balcao, `balcao doctor`."
    )


def _ask(option: str, question: str) -> str:
    """Ask on a terminal. Raises OperatorFault where nobody can answer."""
    if not sys.stdin.isatty():
        raise OperatorFault(f"Falta a opção {option}.")
    ask: Callable[[str], str] = typer.prompt
    return ask(question)


def _offer(is_asked: bool, question: str) -> str:
    """Ask for what need not be said; return "" where nobody is asked, or says nothing."""
    if not is_asked:
        return ""
    answer: str = typer.prompt(f"{question}; vazio: nenhum", default="", show_default=False)
    return answer.strip()


def _refuse_unusable(installation: Installation) -> None:
    """Raise OperatorFault or SettingsError for an answer of which no files can be made."""
    places = [("--database", installation.database), *(("--replica", place) for place in installation.replicas)]
    for option, place in places:
        try:
            Server.parse(place)
        except ValueError:
            raise OperatorFault(f"{option} {place}: escreva ENDEREÇO:PORTA.") from None
    # Their ports stand in other files, too, which are made before the settings are read.
    Settings.load({"BALCAO_REDIS_URL": installation.redis_url, "BALCAO_TRACES_URL": installation.traces_url})
    if not _NAME.fullmatch(installation.database_name):
        raise OperatorFault(f"--database-name {installation.database_name}: use letras minúsculas, dígitos e `_`.")
    if not re.fullmatch(r"[\w./:-]+:[\w.-]+", installation.image, re.ASCII):
        raise OperatorFault(f"--image {installation.image}: escreva NOME:VERSÃO.")


def _check(files: dict[str, File]) -> Settings:
    """Return the settings as the processes will read them. Raises SettingsError for what they would refuse."""
    settings = Settings.load(production.parse_settings(files[production.SETTINGS].content.decode()))
    if refusals := settings.list_refusals():
        raise SettingsError("\n".join(refusals))
    return settings
