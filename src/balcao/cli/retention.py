"""`balcao retention`: erase data whose retention period has ended, and show what was erased."""

from typing import TYPE_CHECKING, Annotated

import typer

from balcao.cli.console import print_json
from balcao.cli.portuguese import Commands

if TYPE_CHECKING:
    from balcao.core.audit.retention import Report
    from balcao.core.context.call import Call

retention = Commands(help="Prazos de guarda: aplicar, ver o que foi apagado. Tudo em JSON.")


@retention.command("run")
def run(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Só mostra o que seria apagado.")] = False,
) -> None:
    """Aplica agora os prazos de guarda, como o worker faz toda noite."""
    from balcao import app
    from balcao.core.audit import retention as core
    from balcao.operate.use_cases import run_use_case

    print_json(
        run_use_case(core.OPERATION, lambda call: core.run_retention(call, app.list_retention(), dry_run=dry_run))
    )


@retention.command("report")
def report(limit: Annotated[int, typer.Option(min=1, max=10_000)] = 100) -> None:
    """Mostra o que foi verificado e apagado, o mais novo primeiro."""
    from balcao.core.audit import retention as core
    from balcao.operate.use_cases import run_use_case

    async def fetch(call: "Call") -> "list[Report]":
        async with call.platform.database.connection() as connection:
            return await core.list_reports(connection, limit)

    print_json(run_use_case(core.OPERATION, fetch))
