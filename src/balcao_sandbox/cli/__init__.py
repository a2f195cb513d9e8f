"""The trial's commands by name, which `balcao` adds to its own.

A name with two words belongs to a command in a group.
"""

from balcao.cli.commands import Entry

_PACKAGE = "balcao_sandbox.cli"
COMMANDS = {
    "demo": Entry("demo:demo", "Mostra pessoas, clientes e identificadores da base de demonstração.", _PACKAGE),
    "token": Entry(
        "token:token", "Imprime um token de acesso de uma pessoa ou de um cliente de demonstração.", _PACKAGE
    ),
    "sandbox": Entry("sandbox:sandbox", "Partes da base de demonstração, cada uma por si.", _PACKAGE),
    "identity rotate": Entry(
        "identity:rotate", "Cria uma chave de assinatura nova; a anterior vale enquanto houver tokens dela.", _PACKAGE
    ),
    "registry generate": Entry(
        "registry:generate",
        "Escreve linhas de cidadãos inventados, sempre as mesmas, para ensaios e medições.",
        _PACKAGE,
    ),
    "health-units simulate": Entry(
        "health_units:simulate",
        "Abre, muda e encerra notificações ao acaso nas unidades de demonstração, para ver o fluxo de eventos.",
        _PACKAGE,
    ),
}
