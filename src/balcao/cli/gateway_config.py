"""`balcao gateway-config`: write the configuration of HAProxy, nginx or Envoy from the route table."""

from pathlib import Path
from typing import Annotated

import typer

from balcao.cli.files import write_files
from balcao.cli.options import Replace
from balcao.operate.deploy.answers import Frontend, GatewayKind


def gateway_config(
    kind: Annotated[GatewayKind, typer.Argument(help="O programa que fica diante dos processos.")],
    folder: Annotated[Path, typer.Option(help="Onde ficam os arquivos.")] = Path("gateway"),
    server: Annotated[
        list[str] | None,
        typer.Option(
            help="Processo que atende: ENDEREÇO:PORTA, ou SERVIÇO=ENDEREÇO:PORTA; panel= é o painel. Pode ser repetida."
        ),
    ] = None,
    application: Annotated[
        list[str] | None,
        typer.Option(
            help="Aplicação da cidade: /CAMINHO=ENDEREÇO:PORTA; o catálogo de acessos decide. Pode ser repetida."
        ),
    ] = None,
    certificate: Annotated[
        str, typer.Option(help="O certificado, no gateway; para o HAProxy, seguido da chave.")
    ] = Frontend.certificate,
    certificate_key: Annotated[
        str, typer.Option(help="A chave do certificado (nginx e Envoy).")
    ] = Frontend.certificate_key,
    https_port: Annotated[int, typer.Option(min=1, max=65535, help="A porta de HTTPS.")] = 443,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="Porta que leva a HTTPS; 0: nenhuma.")] = 80,
    replace: Replace = False,
) -> None:
    """Escreve a configuração do gateway: HAProxy, nginx ou Envoy."""
    from balcao.core import logs
    from balcao.operate.gateway_config import generate_gateway
    from balcao.settings import Settings
    from balcao.settings.addresses import reach

    logs.configure("error")
    settings = Settings.load()
    servers = server or [f"{reach(settings.host)}:{settings.port}"]
    front = Frontend(certificate, certificate_key, https_port, http_port)
    write_files(folder, generate_gateway(kind, settings, servers, front, application or []), replace=replace)
