"""`balcao access`: the access catalogue, for operators with a shell on the machine."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from balcao.cli.console import print_json
from balcao.cli.people import CpfArgument, parse_cpf
from balcao.cli.portuguese import Commands
from balcao.operate.faults import OperatorFault
from balcao.operate.names import LAST_AUDIT_NUMBER

access = Commands(help="Catálogo de acessos: primeiro administrador, documento, conferência do histórico.")
SUPERADMINISTRATORS = "superadministradores"
audit = Commands(help="Histórico do catálogo.")
access.add_typer(audit, name="audit")


class DocumentFormat(StrEnum):
    """The document's format. This class repeats the service's type, so that `--help` does not import the service."""

    YAML = "yaml"
    JSON = "json"


@access.command("export")
def export(
    written_as: Annotated[
        DocumentFormat, typer.Option("--format", help="Como o documento é escrito.")
    ] = DocumentFormat.YAML,
) -> None:
    """Escreve o catálogo, sem pessoas, como documento para guardar e comparar."""
    from balcao.access.documents import service as documents
    from balcao.access.documents.schemas import Format
    from balcao.operate.use_cases import run_use_case

    document, _ = run_use_case(
        "access.export_catalogue", lambda call: documents.export_catalogue(call, Format(written_as))
    )
    sys.stdout.buffer.write(document)


@access.command("plan")
def plan(
    file: Annotated[Path, typer.Argument(help="O documento, em YAML ou JSON.", exists=True, dir_okay=False)],
    prune: Annotated[bool, typer.Option("--prune", help="O que falta no documento é excluído.")] = False,
) -> None:
    """Diz em JSON o que o documento mudaria, sem mudar nada; termina com 1 se algo o impede."""
    from balcao.access.documents import service as documents
    from balcao.core.http.operations import MIB
    from balcao.operate.use_cases import run_use_case

    content = file.read_bytes()
    if len(content) > MIB:
        raise OperatorFault("O documento passa de 1 MiB.")
    made = run_use_case("access.plan_catalogue", lambda call: documents.plan_changes(call, content, prune=prune))
    print_json(made)
    if made.blocked:
        raise typer.Exit(1)


@access.command("apply")
def apply(plan_id: Annotated[UUID, typer.Argument(help="O `plan_id` de um plano dos últimos 15 minutos.")]) -> None:
    """Faz tudo o que o plano diz, ou nada, e responde em JSON."""
    from balcao.access.documents import service as documents
    from balcao.operate.use_cases import run_use_case

    print_json(run_use_case("access.apply_catalogue", lambda call: documents.apply_plan(call, plan_id)))


@access.command("grant-admin")
def grant_admin(cpf: CpfArgument) -> None:
    """Inclui uma pessoa em `superadministradores`: assim se dá o primeiro acesso a uma instalação nova."""
    from balcao.access.groups import service as groups
    from balcao.operate.use_cases import run_use_case

    person = parse_cpf(cpf)
    run_use_case("access.add_member", lambda call: groups.add_member(call, SUPERADMINISTRATORS, person))
    print(f"O CPF {person.masked} é de superadministrador: vale em todos os processos em até 5 segundos.")


@audit.callback()
def group() -> None:
    """Make `verify` a subcommand. Without this callback, Typer would merge a group's only command into the group."""


@audit.command("verify")
def verify(
    from_seq: Annotated[int, typer.Option("--from", min=1, help="Primeiro número a conferir.")] = 1,
    to_seq: Annotated[int, typer.Option("--to", min=1, help="Último número a conferir.")] = LAST_AUDIT_NUMBER,
) -> None:
    """Segue a corrente do histórico e responde em JSON; termina com 1 se ela está rompida."""
    from balcao.access.audit import service
    from balcao.access.audit.schemas import VerifyQuery
    from balcao.operate.use_cases import run_use_case

    query = VerifyQuery(from_seq=from_seq, to_seq=to_seq)
    verdict = run_use_case("access.verify_audit", lambda call: service.verify_trail(call, query))
    print_json(verdict)
    if not verdict.ok:
        raise typer.Exit(1)
