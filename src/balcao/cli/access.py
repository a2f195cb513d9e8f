"""`balcao access`: the access catalogue, for who has the machine's shell."""

import sys
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from balcao.access.audit import service
from balcao.access.audit.schemas import MAX_SEQ, Verdict, VerifyQuery
from balcao.access.documents import service as documents
from balcao.access.documents.schemas import Format
from balcao.access.groups import service as groups
from balcao.cli.portuguese import Commands
from balcao.core.context.call import Call
from balcao.core.http.operations import MIB
from balcao.core.values.cpf import Cpf
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import print_json, run_use_case

access = Commands(help="Catálogo de acessos: primeiro administrador, documento, conferência do histórico.")
SUPERADMINISTRATORS = "superadministradores"
audit = Commands(help="Histórico do catálogo.")
access.add_typer(audit, name="audit")


@access.command("export")
def export(
    written_as: Annotated[Format, typer.Option("--format", help="Como o documento é escrito.")] = Format.YAML,
) -> None:
    """Escreve o catálogo, sem pessoas, como documento para guardar e comparar."""
    document, _ = run_use_case("access.export_catalogue", lambda call: documents.export_catalogue(call, written_as))
    sys.stdout.buffer.write(document)


@access.command("plan")
def plan(
    file: Annotated[Path, typer.Argument(help="O documento, em YAML ou JSON.", exists=True, dir_okay=False)],
    prune: Annotated[bool, typer.Option("--prune", help="O que falta no documento é excluído.")] = False,
) -> None:
    """Diz em JSON o que o documento mudaria, sem mudar nada; termina com 1 se algo o impede."""
    content = file.read_bytes()
    if len(content) > MIB:
        raise OperatorFault("O documento passa de 1 MiB.")
    made = run_use_case("access.plan_catalogue", lambda call: documents.plan(call, content, prune=prune))
    print_json(made)
    if made.blocked:
        raise typer.Exit(1)


@access.command("apply")
def apply(plan_id: Annotated[UUID, typer.Argument(help="O `plan_id` de um plano dos últimos 15 minutos.")]) -> None:
    """Faz tudo o que o plano diz, ou nada, e responde em JSON."""
    print_json(run_use_case("access.apply_catalogue", lambda call: documents.apply(call, plan_id)))


@access.command("grant-admin")
def grant_admin(
    cpf: Annotated[str, typer.Argument(metavar="CPF", help="11 dígitos, com ou sem pontuação.")],
) -> None:
    """Inclui uma pessoa em `superadministradores`: é o primeiro caminho para dentro de uma instalação nova."""
    person = Cpf.parse_path(cpf)
    if person is None:
        raise OperatorFault("O CPF é inválido: use 11 dígitos.")
    run_use_case("access.add_member", lambda call: groups.add_member(call, SUPERADMINISTRATORS, person))
    print(f"O CPF {person.masked} é de superadministrador: vale em todos os processos em até 5 segundos.")


@audit.command("verify")
def verify(
    from_seq: Annotated[int, typer.Option("--from", min=1, help="Primeiro número a conferir.")] = 1,
    to_seq: Annotated[int, typer.Option("--to", min=1, help="Último número a conferir.")] = MAX_SEQ,
) -> None:
    """Segue a corrente do histórico e responde em JSON; termina com 1 se ela está rompida."""

    async def run(call: Call) -> Verdict:
        return await service.verify(call, VerifyQuery(from_seq=from_seq, to_seq=to_seq))

    verdict = run_use_case("access.verify_audit", run)
    print_json(verdict)
    if not verdict.ok:
        raise typer.Exit(1)


@audit.callback()
def _group() -> None:
    """Keep `verify` a command of a group while it is the only one."""
