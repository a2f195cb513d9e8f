"""What `balcao doctor` says of the program: its version, and whether the packages beside it are its release's."""

from typing import Any, NamedTuple

from balcao import __version__
from balcao.installed import Drift, list_drift, load_lock
from balcao.version import find_commit

_SHOWN = 5


class Program(NamedTuple):
    """What is installed, for `balcao doctor`, and what is wrong with it."""

    details: dict[str, Any]
    problems: list[str]


def check_program(*, sandbox: bool) -> Program:
    """Compare what is installed with the release's list; a trial may differ from it, production may not."""
    drift = list_drift(load_lock())
    details = {"version": __version__, "commit": find_commit(), "drift": [str(one) for one in drift]}
    return Program(details, [] if sandbox or not drift else [_word(drift)])


def _word(drift: list[Drift]) -> str:
    shown = [str(one) for one in drift[:_SHOWN]]
    more = [f"e mais {len(drift) - _SHOWN}"] if len(drift) > _SHOWN else []
    return (
        f"Pacotes instalados diferem da lista da versão {__version__}: {', '.join([*shown, *more])}. "
        "Instale-os com `pip install --require-hashes -r requirements.lock` da mesma edição."
    )
