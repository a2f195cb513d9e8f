"""`balcao citizen`: a person's rights under the data protection law, for the staff who serve them."""

from typing import Annotated

import msgspec
import typer

from balcao.cli.portuguese import Commands
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import print_json, run_use_case
from balcao.registry.rights import anonymisation, service
from balcao.registry.rights.schemas import AnonymisationBody

citizen = Commands(help="Direitos do cidadão: exportar, anonimizar, quem viu. Tudo em JSON.")
Who = Annotated[str, typer.Argument(metavar="CPF", help="11 dígitos, com ou sem pontuação.")]


@citizen.command("export")
def export(cpf: Who) -> None:
    """Exporta todos os dados de um cidadão."""
    person = _parse_cpf(cpf)
    print_json(msgspec.Raw(run_use_case("registry.export_data", lambda call: service.export(call, person))))


@citizen.command("anonymise")
def anonymise(
    cpf: Who,
    reason: Annotated[str, typer.Option(help="Por quê; fica na trilha de auditoria.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Só simula e responde a confirmação.")] = False,
    confirmation: Annotated[str | None, typer.Option(help="O que a simulação respondeu; vale 15 minutos.")] = None,
) -> None:
    """Anonimiza um cidadão: simule antes, depois confirme."""
    person = _parse_cpf(cpf)
    if not dry_run and confirmation is None:
        raise OperatorFault("Simule antes com --dry-run e repita com --confirmation e o que a simulação respondeu.")
    body = AnonymisationBody(dry_run, confirmation, reason)
    print_json(run_use_case("registry.anonymise_citizen", lambda call: anonymisation.anonymise(call, person, body)))


@citizen.command("access")
def access(
    cpf: Who,
    start: Annotated[str | None, typer.Option("--from", help="Desde: AAAA-MM-DD ou RFC 3339.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Até, inclusive.")] = None,
    page: Annotated[int, typer.Option(min=1)] = 1,
    per_page: Annotated[int, typer.Option(min=1, max=100)] = 100,
) -> None:
    """Lista quem viu ou mudou os dados de um cidadão."""
    person = _parse_cpf(cpf)
    query = {name: value for name, value in (("from", start), ("to", end)) if value is not None}
    requested = Page(page, per_page)
    print_json(
        run_use_case("registry.list_accesses", lambda call: service.list_accesses(call, person, query, requested))
    )


def _parse_cpf(text: str) -> Cpf:
    cpf = Cpf.parse_path(text)
    if cpf is None:
        raise OperatorFault("O CPF é inválido: use 11 dígitos.")
    return cpf
