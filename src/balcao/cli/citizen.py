"""`balcao citizen`: fulfil a citizen's rights under the data protection law, for the staff who serve citizens."""

from typing import Annotated

import typer

from balcao.cli.console import print_json
from balcao.cli.people import CpfArgument, parse_cpf
from balcao.cli.portuguese import Commands
from balcao.operate.faults import OperatorFault

citizen = Commands(help="Direitos do cidadão: exportar, anonimizar, quem viu. Tudo em JSON.")


@citizen.command("export")
def export(cpf: CpfArgument) -> None:
    """Exporta todos os dados de um cidadão."""
    import msgspec

    from balcao.operate.use_cases import run_use_case
    from balcao.registry.rights import service

    person = parse_cpf(cpf)
    print_json(msgspec.Raw(run_use_case("registry.export_data", lambda call: service.export_person(call, person))))


@citizen.command("anonymise")
def anonymise(
    cpf: CpfArgument,
    reason: Annotated[str, typer.Option(help="O motivo; fica na trilha de auditoria.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Só simula e responde a confirmação.")] = False,
    confirmation: Annotated[
        str | None, typer.Option(help="A confirmação que a simulação respondeu; vale 15 minutos.")
    ] = None,
) -> None:
    """Anonimiza um cidadão: simule antes, depois confirme."""
    from balcao.operate.use_cases import run_use_case
    from balcao.registry.rights import anonymisation
    from balcao.registry.rights.schemas import AnonymisationBody

    person = parse_cpf(cpf)
    if not dry_run and confirmation is None:
        raise OperatorFault(
            "Simule antes com --dry-run e repita com --confirmation e a confirmação que a simulação respondeu."
        )
    body = AnonymisationBody(dry_run, confirmation, reason)
    print_json(
        run_use_case("registry.anonymise_citizen", lambda call: anonymisation.anonymise_person(call, person, body))
    )


@citizen.command("access")
def access(
    cpf: CpfArgument,
    start: Annotated[str | None, typer.Option("--from", help="Desde: AAAA-MM-DD ou RFC 3339.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Até, inclusive.")] = None,
    page: Annotated[int, typer.Option(min=1)] = 1,
    per_page: Annotated[int, typer.Option(min=1, max=100)] = 100,
) -> None:
    """Lista quem viu ou mudou os dados de um cidadão."""
    from balcao.core.values.page import Page
    from balcao.operate.use_cases import run_use_case
    from balcao.registry.rights import service

    person = parse_cpf(cpf)
    query = {name: value for name, value in (("from", start), ("to", end)) if value is not None}
    requested = Page(page, per_page)
    print_json(
        run_use_case("registry.list_accesses", lambda call: service.list_accesses(call, person, query, requested))
    )
