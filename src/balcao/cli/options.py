"""Options that several groups of commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Em JSON.")]
Replace = Annotated[bool, typer.Option("--replace", help="Substitui os arquivos que diferem.")]
For = Annotated[str, typer.Option("--for", metavar="DURAÇÃO", help="Por quanto tempo: 30m, 2h, 1d.")]
Until = Annotated[
    str, typer.Option("--until", metavar="HORA", help="Até quando: 18:30, ou 2026-03-01T18:30, no fuso da cidade.")
]
From = Annotated[
    str, typer.Option("--from", metavar="HORA", help="Quando começa, se não for agora: 22:00, ou 2026-03-01T22:00.")
]
