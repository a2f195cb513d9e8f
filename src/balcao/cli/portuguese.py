"""Portuguese messages for the command line library, which has only English messages."""

import difflib
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

F = TypeVar("F", bound=Callable[..., Any])

# Our headings and labels, by the name of the library's constant in `typer.rich_utils`.
_HELP = {
    "ARGUMENTS_PANEL_TITLE": "Argumentos",
    "OPTIONS_PANEL_TITLE": "Opções",
    "COMMANDS_PANEL_TITLE": "Comandos",
    "DEFAULT_STRING": "[padrão: {}]",
    "REQUIRED_LONG_STRING": "[obrigatório]",
}

_UNKNOWN_COMMAND = re.compile(r"No such command '(?P<name>.*?)'\.", re.DOTALL)
# Patterns of the library's English usage errors, with our Portuguese sentences. The first match applies.
_SENTENCES = (
    (_UNKNOWN_COMMAND, "O comando {name} não existe."),
    *(
        (re.compile(pattern, re.DOTALL), sentence)
        for pattern, sentence in (
            (r"Missing command\.", "Falta o comando."),
            (r"No such option: (?P<name>\S+)", "A opção {name} não existe."),
            (r"Missing argument '(?P<name>.*?)'", "Falta o argumento {name}."),
            (r"Missing option '(?P<name>.*?)'", "Falta a opção {name}."),
            (r"Option '(?P<name>.*?)' requires an argument\.", "A opção {name} pede um valor."),
            (r"Option '(?P<name>.*?)' does not take a value\.", "A opção {name} não aceita valor."),
            (r"Got unexpected extra arguments?(?:\(s\))? \((?P<extra>.*)\)", "Argumentos a mais: {extra}."),
            (r"Invalid value for '(?P<name>.*?)': .*valid integer", "{name}: informe um número inteiro."),
            (
                r"Invalid value for '(?P<name>.*?)': .*greater than or equal to (?P<least>\d+)",
                "{name}: no mínimo {least}.",
            ),
            (r"Invalid value for '(?P<name>.*?)': .*less than or equal to (?P<most>\d+)", "{name}: no máximo {most}."),
            (r"Invalid value for '(?P<name>.*?)': .*does not exist", "{name}: o arquivo ou a pasta não existe."),
            (r"Invalid value for '(?P<name>.*?)': .*is not readable", "{name}: não pode ser lido."),
            (r"Invalid value for '(?P<name>.*?)': .*is a directory", "{name}: é uma pasta; informe um arquivo."),
            (
                r"Invalid value for '(?P<name>.*?)': .*(?:should be|one of) (?P<choices>'.*?)\.?$",
                "{name}: use um de {choices}.",
            ),
            (r"Invalid value for '(?P<name>.*?)': (?P<why>.*)", "{name}: {why}"),
        )
    ),
)


class _InPortuguese:
    """Code shared by commands and groups of commands."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), "Uso: ")  # type: ignore[attr-defined]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from typer import rich_utils  # slow to import, and only needed for help

        for name, text in _HELP.items():
            setattr(rich_utils, name, text)
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.help = "Mostra esta ajuda e sai."
        return option


class Command(_InPortuguese, TyperCommand):
    """A command with help in Portuguese."""


class Group(_InPortuguese, TyperGroup):
    """A group of commands with help in Portuguese."""


class Commands(typer.Typer):
    """A group of commands, which shows its help if it is called without a command."""

    def __init__(self, *, cls: type[Group] = Group, **options: Any) -> None:
        super().__init__(
            cls=cls,
            suggest_commands=False,  # the library suggests only imported commands, and in English
            no_args_is_help=True,
            add_completion=False,
            options_metavar="[OPÇÕES]",
            subcommand_metavar="COMANDO [ARGUMENTOS]...",
            **options,
        )

    def command(  # type: ignore[override]  # narrower than the library's
        self, name: str | None = None
    ) -> Callable[[F], F]:
        """Register the decorated function as a command, as `typer.Typer.command` does."""
        return super().command(name, cls=Command, options_metavar="[OPÇÕES]")


def run(command: Any, arguments: list[str] | None) -> int:
    """Run `command` and return the exit status. For a usage error, print an explanation and return 2."""
    try:
        status = command.main(arguments, standalone_mode=False)
    except typer.Abort:
        print("Interrompido.", file=sys.stderr)
        return 1
    except Exception as fault:
        if not hasattr(fault, "format_message"):
            raise
        _explain(fault)
        return 2
    return status if isinstance(status, int) else 0


def _explain(fault: Any) -> None:
    """Explain a usage error and refer to `--help`.

    If the error has no message, the library has already printed the help.
    """
    message, context = fault.format_message(), getattr(fault, "ctx", None)
    if not message:
        return
    found = ((pattern.search(message), sentence) for pattern, sentence in _SENTENCES)
    sentence = next((sentence.format(**match.groupdict()) for match, sentence in found if match), message)
    print(sentence + _suggest(fault, message), file=sys.stderr)
    if context is not None:
        print(f"Veja como usar: {context.command_path} --help", file=sys.stderr)


def _suggest(fault: Any, message: str) -> str:
    """Return a sentence that suggests similar commands or options, or an empty string if none is similar."""
    near = list(getattr(fault, "possibilities", None) or [])
    if unknown := _UNKNOWN_COMMAND.search(message):
        near = difflib.get_close_matches(unknown["name"], fault.ctx.command.list_commands(fault.ctx))
    return f" Quis dizer {' ou '.join(near)}?" if near else ""
