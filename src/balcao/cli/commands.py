"""All commands by name. A command's module is imported only when the command is called, not for `balcao --help`."""

import functools
import importlib
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from balcao import sandbox
from balcao.cli import portuguese
from balcao.cli.portuguese import Commands, Group
from balcao.version import describe_version


@dataclass(frozen=True)
class Entry:
    """Where a command is defined (`module:attribute` in a package), and its line in the list of commands."""

    target: str
    summary: str
    package: str = "balcao.cli"

    def load(self) -> Any:
        """Import and return the function of a command, or the `Commands` of a group."""
        module, _, attribute = self.target.partition(":")
        return getattr(importlib.import_module(f"{self.package}.{module}"), attribute)


COMMANDS = {
    "serve": Entry(
        "serve:serve", "Inicia os serviços e, na base de demonstração, também o banco, a identidade e o CRM."
    ),
    "worker": Entry("serve:worker", "Executa só as tarefas em fila, sem responder a chamadas."),
    "panel": Entry("serve:panel", "Inicia só o painel, que chama os serviços pelo endereço deles."),
    "site": Entry("serve:site", "Inicia só o site do cidadão, que chama os serviços pelo endereço deles."),
    "migrate": Entry("migrate:migrate", "Aplica as migrações que faltam e carrega os dados de referência."),
    "openapi": Entry("openapi:openapi", "Escreve a descrição OpenAPI de cada serviço em um arquivo."),
    "init": Entry("init:init", "Arquivos de uma instalação em produção, do site da cidade e de um portal."),
    "gateway-config": Entry(
        "gateway_config:gateway_config", "Escreve a configuração do gateway: HAProxy, nginx ou Envoy."
    ),
    "doctor": Entry("doctor:doctor", "Mostra a configuração em vigor e diz o que há de errado com ela."),
    "top": Entry("top:top", "Mostra o que roda, espera e falha agora: chamadas, processos, conexões, tarefas, CRM."),
    "maintenance": Entry("maintenance:maintenance", "Manutenção de um serviço: começar, terminar, ver."),
    "incident": Entry("incident:incident", "Incidentes na página de situação: abrir, acrescentar, resolver, listar."),
    "limits": Entry("limits:limits", "Limites de chamadas: ver, mudar ao vivo, voltar ao configurado."),
    "config": Entry("config:config", "Configuração: o que cada variável faz, o que vale e de onde vem."),
    "jobs": Entry("jobs:jobs", "Tarefas em fila: listar, ver, repetir, descartar."),
    "registry": Entry("registry:registry", "Registro do cidadão: carga do município, conferência do histórico."),
    "employability": Entry(
        "employability:employability", "Empregabilidade: importação de empresas, vagas e catálogos."
    ),
    "search": Entry("search:search", "Catálogo de serviços: importação e exportação, migrações do esquema da busca."),
    "agents": Entry("agents:agents", "Configuração de agentes: importação de versões, conjuntos de dados e exemplos."),
    "health-units": Entry(
        "health_units:health_units", "Unidades de saúde: importação de unidades e notificações, simulação de episódios."
    ),
    "access": Entry(
        "access:access", "Catálogo de acessos: primeiro administrador, documento, conferência do histórico."
    ),
    "citizen": Entry("citizen:citizen", "Direitos do cidadão: exportar, anonimizar, quem viu. Tudo em JSON."),
    "audit": Entry("audit:audit", "Trilha de auditoria."),
    "retention": Entry("retention:retention", "Prazos de guarda: aplicar, ver o que foi apagado. Tudo em JSON."),
    "backup": Entry("backup:backup", "Cópias de segurança do banco: criar, acompanhar, conferir, restaurar."),
    "export": Entry("export:export", "Exportação cifrada dos dados de um serviço: criar, conferir, ler."),
    "identity": Entry("identity:identity", "O provedor de identidade e as suas chaves."),
}


def list_entries() -> dict[str, Entry]:
    """Return every command by name, including the trial's commands.

    A name of two words adds a command to an existing group.
    """
    trial: dict[str, Entry] = sandbox.load_installed("commands", {})
    return COMMANDS | trial


def load_command(name: str) -> Any:
    """Import and return a command, or a group with all its commands."""
    loaded = list_entries()[name].load()
    if not isinstance(loaded, Commands):
        alone = Commands()
        alone.command(name)(loaded)
        loaded = alone
    for words, entry in list_entries().items():
        group, _, further = words.partition(" ")
        if further and group == name:
            loaded.command(further)(entry.load())
    return typer.main.get_command(loaded)


class _Lazy(TyperCommand):
    """A command in the list that has not been imported yet. It is imported when it is called."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, help=entry.summary)
        self._entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return a context for the real command, so that invoking the context runs that command."""
        return self.loaded.make_context(info_name, args, parent=parent, **extra)

    @functools.cached_property
    def loaded(self) -> Any:
        """Import and return the real command."""
        assert self.name
        return load_command(self.name)


class _Root(Group):
    """The root group, which finds its commands in `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in list_entries() if " " not in name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = list_entries().get(cmd_name)
        return entry and _Lazy(cmd_name, entry)


balcao = Commands(name="balcao", cls=_Root)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(f"balcao {describe_version()}")
        raise typer.Exit


@balcao.callback()
def group(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Mostra a versão, numa edição também o commit, e sai.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Balcão: serviços municipais ao cidadão."""


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status. Explain usage errors in Portuguese."""
    return portuguese.run(typer.main.get_command(balcao), arguments)
