"""`balcao init`: write the files for an installation, for a city's site, or for a portal that switches to Balcão."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from balcao import __version__
from balcao.cli.files import write_files
from balcao.cli.options import Replace
from balcao.cli.portuguese import Commands
from balcao.operate.deploy.answers import Frontend, GatewayKind, Installation, PortalKind
from balcao.operate.faults import OperatorFault

init = Commands(help="Arquivos de uma instalação em produção, do site da cidade e de um portal.")


@init.command("portal")
def write_portal(
    kind: Annotated[PortalKind, typer.Argument(help="citizen: o portal do cidadão; staff: o do servidor.")],
    origin: Annotated[
        str, typer.Option(help="Onde as pessoas abrem o portal, sem barra no fim.")
    ] = "http://localhost:3000",
    callback: Annotated[str, typer.Option(help="O caminho do portal a que o login volta.")] = "/callback",
    client_id: Annotated[str, typer.Option(help="O cliente no provedor; sem ela, o da demonstração.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Onde ficam os arquivos; sem ela, portal-TIPO.")] = None,
    replace: Replace = False,
) -> None:
    """Escreve o cliente do provedor, o ambiente do portal e o que muda na configuração do Balcão."""
    from balcao.core import logs
    from balcao.operate.deploy import portals
    from balcao.operate.portal import prepare_portal

    logs.configure("error")
    place = folder or Path(f"portal-{kind}")
    prepared = prepare_portal(kind, origin, callback, client_id, place)
    portal = prepared.portal
    write_files(place, prepared.files, replace=replace)
    client = (
        f"O cliente {portal.client_id} já está no provedor do sandbox."
        if prepared.is_in_sandbox
        else f"Cadastre {place}/{portals.CLIENT} no provedor (Keycloak: `kcadm.sh create clients -r REALM -f`)."
    )
    entries = (
        f" Acrescente as linhas de {place}/{portals.ENTRIES} a {portal.entries_file}, que os processos releem sozinhos."
        if portals.ENTRIES in prepared.files
        else ""
    )
    print(
        f"{client} Ponha as linhas de {place}/{portals.OWN_SETTINGS} na configuração do Balcão e reinicie-o; "
        f"os valores de {place}/{portals.PORTAL_ENVIRONMENT} são do portal, que chama o Balcão em {portal.base_url} "
        f"(outro endereço ou porta: BALCAO_PUBLIC_URL ou BALCAO_PORT, e de novo com --replace).{entries}"
    )


@init.command("site")
def write_site(
    name: Annotated[str, typer.Option(help="O nome da cidade.")] = "",
    phone: Annotated[str, typer.Option(help="O telefone que aparece em cada página.")] = "156",
    color: Annotated[str, typer.Option(help="A cor dos links e botões, como #1351b4; sem ela, a do Balcão.")] = "",
    crest: Annotated[Path | None, typer.Option(help="O brasão ou a marca: um arquivo SVG ou PNG de até 12 kB.")] = None,
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("site"),
    replace: Replace = False,
) -> None:
    """Escreve arquivos com o nome, as cores, o brasão, o contato e os textos do site, para a cidade mudar."""
    from balcao.operate.city_site import prepare_site

    files = prepare_site(name or _ask("--name", "Nome da cidade"), phone, color, crest)
    write_files(folder, files, replace=replace)
    print(f"Ponha BALCAO_SITE_FOLDER={folder.resolve()} na configuração. Depois mude os arquivos quando quiser.")


@init.command("production")
def write_production(
    public_url: Annotated[
        str, typer.Option(help="O endereço que as pessoas veem: https://balcao.cidade.example.")
    ] = "",
    auth_issuer: Annotated[str, typer.Option(help="O emissor dos tokens, como o provedor se chama.")] = "",
    database: Annotated[
        str, typer.Option(help="O PostgreSQL: ENDEREÇO:PORTA; vários, por vírgula.")
    ] = "localhost:5432",
    database_name: Annotated[str, typer.Option(help="O nome do banco; os papéis se chamam como ele.")] = "balcao",
    cluster: Annotated[
        str, typer.Option(help="Os servidores de um PostgreSQL que o Patroni opera, por vírgula; em vez de --database.")
    ] = "",
    gateway: Annotated[
        GatewayKind, typer.Option(help="O programa que fica diante dos processos.")
    ] = GatewayKind.HAPROXY,
    server: Annotated[
        list[str] | None, typer.Option(help="Processo que o gateway chama: ENDEREÇO:PORTA. Pode ser repetida.")
    ] = None,
    certificate: Annotated[str, typer.Option(help="O certificado, no gateway.")] = Frontend.certificate,
    certificate_key: Annotated[str, typer.Option(help="A chave do certificado.")] = Frontend.certificate_key,
    https_port: Annotated[int, typer.Option(min=1, max=65535, help="A porta de HTTPS do gateway.")] = 443,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="Porta que leva a HTTPS; 0: nenhuma.")] = 80,
    allow_loopback_issuer: Annotated[
        bool, typer.Option("--allow-loopback-issuer", help="Aceita um provedor nesta máquina por http.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65534, help="A porta dos processos.")] = 8080,
    management_port: Annotated[
        int, typer.Option(min=1, max=65534, help="A de métricas e prontidão; a do worker é a seguinte.")
    ] = Installation.management_port,
    management_host: Annotated[
        str,
        typer.Option(help="O endereço em que essas portas escutam; para chegar a elas de outra máquina, use o desta."),
    ] = Installation.management_host,
    replica: Annotated[
        list[str] | None, typer.Option(help="Réplica do banco, para leituras: ENDEREÇO:PORTA. Pode ser repetida.")
    ] = None,
    redis_url: Annotated[str, typer.Option(help="Redis ou Valkey de várias máquinas: redis://..., rediss://...")] = "",
    traces_url: Annotated[str, typer.Option(help="O coletor de rastros: http://coletor:4318.")] = "",
    program: Annotated[str, typer.Option(help="O comando, como está instalado no servidor.")] = Installation.program,
    image: Annotated[str, typer.Option(help="A imagem de contêiner: NOME:VERSÃO.")] = f"balcao:{__version__}",
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("production"),
    replace: Replace = False,
) -> None:
    """Escreve configuração com segredos, papéis do banco, unidades, contêineres, Kubernetes, Helm e gateway."""
    from balcao.core import logs
    from balcao.operate.deploy import production
    from balcao.operate.installation import generate_installation
    from balcao.settings.types import split_list

    logs.configure("error")
    # If a required answer is missing and must be asked interactively, ask for the optional answers too.
    is_asked = sys.stdin.isatty() and not (public_url and auth_issuer)
    hosts = tuple(split_list(cluster))
    installation = Installation(
        public_url=public_url or _ask("--public-url", "Endereço público (https://...)"),
        auth_issuer=auth_issuer or _ask("--auth-issuer", "Emissor dos tokens (https://.../realms/cidade)"),
        database=",".join(f"{host}:5432" for host in hosts) or database,
        cluster=hosts,
        database_name=database_name,
        allow_loopback_issuer=allow_loopback_issuer,
        port=port,
        management_port=management_port,
        management_host=management_host,
        replicas=tuple(replica or split_list(_offer(is_asked, "Réplicas do banco (ENDEREÇO:PORTA, por vírgula)"))),
        redis_url=redis_url or _offer(is_asked, "Redis ou Valkey de várias máquinas (rediss://...)"),
        traces_url=traces_url or _offer(is_asked, "Coletor de rastros (http://coletor:4318)"),
        program=program,
        image=image,
        folder=str(folder),
    )
    front = Frontend(certificate, certificate_key, https_port, http_port)
    own = production.Secrets.of(folder)
    files = generate_installation(installation, own, gateway, server or [f"127.0.0.1:{port}"], front)
    write_files(folder, files, replace=replace)
    if installation.has_local_database:
        print(
            "Sem arquivos de Kubernetes e Helm: um pod não alcança um banco em localhost. Para tê-los, use --database."
        )
    if hosts:
        print(
            f"Os arquivos dos servidores do banco estão em {folder}/cluster: docs/operate/cluster-setup.md os instala."
        )
    print(
        f"Agora, nesta ordem: {folder}/{production.ROLES} no banco, os arquivos .env em /etc/balcao, `balcao doctor`."
    )


def _ask(option: str, question: str) -> str:
    """Ask for a required answer. Raises OperatorFault if there is no terminal."""
    if not sys.stdin.isatty():
        raise OperatorFault(f"Falta a opção {option}.")
    ask: Callable[[str], str] = typer.prompt
    return ask(question)


def _offer(is_asked: bool, question: str) -> str:
    """Ask for an optional answer. Return an empty string if `is_asked` is False or the answer is empty."""
    if not is_asked:
        return ""
    answer: str = typer.prompt(f"{question}; vazio: nenhum", default="", show_default=False)
    return answer.strip()
