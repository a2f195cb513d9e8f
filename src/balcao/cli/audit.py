"""`balcao audit`: verify that the audit trail is intact."""

from typing import TYPE_CHECKING, Annotated

import typer

from balcao.cli.console import print_json
from balcao.cli.portuguese import Commands
from balcao.operate.faults import OperatorFault

if TYPE_CHECKING:
    from balcao.core.audit.chain import Verdict
    from balcao.core.context.call import Call

audit = Commands(help="Trilha de auditoria.")


@audit.callback()
def group() -> None:
    """Make `verify` a subcommand. Without this callback, Typer would merge a group's only command into the group."""


@audit.command("verify")
def verify(
    known: Annotated[
        str | None, typer.Option(metavar="N:HASH", help="`last` e `hash` de uma verificação anterior.")
    ] = None,
) -> None:
    """Segue a corrente da trilha do começo ao fim e responde em JSON; termina com 1 se ela está rompida."""
    from balcao.core.audit import chain
    from balcao.operate.use_cases import run_use_case

    before = _parse_known(known) if known is not None else None

    async def verify_chain(call: "Call") -> "Verdict":
        # Use one snapshot. Otherwise an event that is written during the check would look like a break in the chain.
        async with call.platform.database.transaction(isolation="repeatable_read") as connection:
            return await chain.verify_chain(connection, before)

    verdict = run_use_case("audit.verify", verify_chain)
    print_json(verdict)
    if not verdict.ok:
        raise typer.Exit(1)


def _parse_known(text: str) -> tuple[int, str]:
    number, _, digest = text.partition(":")
    if not number.isdecimal() or len(digest) != 64:
        raise OperatorFault("Use em --known o `last` e o `hash` de uma verificação anterior: 42:9f86d0…")
    return int(number), digest
