"""Check the program: its version, and whether the installed packages match its release."""

import asyncio

from balcao import __version__
from balcao.installed import Drift, list_drift, load_lock
from balcao.operate.doctor.checks import UP, Check, Part, Subject
from balcao.version import find_commit

_SHOWN = 5


async def _check_program(subject: Subject) -> Part:
    """Compare the installed packages with the release's list. Differences are a problem only in production."""
    drift = await asyncio.to_thread(lambda: list_drift(load_lock()))
    details = {"version": __version__, "commit": find_commit(), "drift": [str(one) for one in drift]}
    return Part(
        UP, details, [] if subject.settings.sandbox or not drift else [_describe_drift(drift)]
    )  # always UP, because the check is part of the program


def _describe_drift(drift: list[Drift]) -> str:
    shown = [str(one) for one in drift[:_SHOWN]]
    more = [f"e mais {len(drift) - _SHOWN}"] if len(drift) > _SHOWN else []
    return (
        f"Pacotes instalados diferem da lista da versão {__version__}: {', '.join([*shown, *more])}. "
        "Instale-os com `pip install --require-hashes -r requirements.lock` da mesma edição."
    )


CHECK = Check(
    name="program",
    part="program",
    looks_at="version and commit, and the installed packages",
    wrong="in production, packages that differ from the release's list",
    remedy="run `pip install --require-hashes -r requirements.lock` of the same release",
    examine=_check_program,
)
