"""Checks that need only the settings: values that prevent a start, unknown names, client lists and fixed tokens."""

from datetime import UTC, datetime, timedelta

from balcao import app
from balcao.core.access.rules import WEBHOOK_CLIENTS
from balcao.operate.doctor.checks import DAYS_OF_NOTICE, DOWN, UP, Check, Part, Subject
from balcao.operate.doctor.installation import check_whether_read
from balcao.operate.unknown_variables import list_unknown_variables
from balcao.settings import Settings, SettingsError


def _judge(problems: list[str]) -> Part:
    return Part(DOWN if problems else UP, problems=problems)


async def _check_refusals(subject: Subject) -> Part:
    return _judge(subject.settings.list_refusals())


async def _check_names(subject: Subject) -> Part:
    return _judge([stranger.describe() for stranger in list_unknown_variables(subject.environment)])


async def _check_machines(subject: Subject) -> Part:
    """Report listed clients that are not machines.

    Except for the webhook's list, the lists have no effect for other callers.
    """
    settings = subject.settings
    lists = {**settings.client_lists, "BALCAO_CLIENT_ID": frozenset({settings.client_id})}
    return _judge(
        [
            f"{variable} nomeia {client}, que não está em BALCAO_MACHINE_CLIENTS: assim não tem efeito."
            for variable, clients in lists.items()
            for client in sorted(clients - settings.machine_clients)
            if variable != WEBHOOK_CLIENTS
        ]
    )


async def _check_fixed_tokens(subject: Subject) -> Part:
    return _judge(_find_faults_of_tokens(subject.settings))


def _find_faults_of_tokens(settings: Settings) -> list[str]:
    try:
        app.check_fixed_tokens(settings)
    except SettingsError as fault:
        return [str(fault)]
    soon = datetime.now(UTC).date() + timedelta(days=DAYS_OF_NOTICE)
    return [
        f"O token fixo {token.name} de {token.operation} vale só até {token.until}: troque-o por um novo."
        for token in settings.fixed_tokens
        if token.until <= soon
    ]


async def _check_whether_read(subject: Subject) -> Part:
    return _judge(check_whether_read(subject.root, subject.settings))


CHECKS = (
    Check(
        name="settings",
        looks_at="the settings in force, by their profile",
        wrong="settings with which no process starts in production: values of the trial, public or weak secrets, a "
        "missing address",
        remedy="set what the message names; `balcao config explain NAME` shows what a setting does and where its "
        "value comes from",
        examine=_check_refusals,
    ),
    Check(
        name="variables",
        looks_at="the variables that begin with `BALCAO_`",
        wrong="a name that is not a setting, and so has no effect",
        remedy="write the name that the message proposes, or remove the variable",
        examine=_check_names,
    ),
    Check(
        name="clients",
        looks_at="the lists of clients, and `BALCAO_CLIENT_ID`",
        wrong="a client that is not in `BALCAO_MACHINE_CLIENTS`, and so gets no rights from the list",
        remedy="add it there too ([the lists](../operate/install.md#the-lists-of-clients))",
        examine=_check_machines,
    ),
    Check(
        name="fixed tokens",
        looks_at="`BALCAO_FIXED_SERVICE_TOKENS`",
        wrong="an operation that no fixed token can allow, or a token that ends within 14 days",
        remedy="create a new one with `balcao identity fixed-token` and give it to the portal before the old one ends",
        examine=_check_fixed_tokens,
    ),
    Check(
        name="installation read",
        looks_at="whether this machine has an installation whose settings were not loaded",
        wrong="`/etc/balcao/balcao.env` exists, but the settings in force are the demonstration's",
        remedy="load the files first, as the units do: `set -a; . /etc/balcao/balcao.env; set +a`",
        examine=_check_whether_read,
    ),
)
