"""The trial's commands by name, which `balcao` lists among its own; a name of two words is of that group."""

from balcao.cli.commands import Entry

_PACKAGE = "balcao_sandbox.cli"
COMMANDS = {
    "sandbox": Entry("sandbox:sandbox", "Partes da base de demonstração, cada uma por si.", _PACKAGE),
}
