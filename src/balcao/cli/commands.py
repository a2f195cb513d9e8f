"""All commands."""

import typer

from balcao.cli.audit import audit
from balcao.cli.citizen import citizen
from balcao.cli.demo import demo
from balcao.cli.doctor import doctor
from balcao.cli.identity import identity
from balcao.cli.jobs import jobs
from balcao.cli.migrate import migrate
from balcao.cli.openapi import openapi
from balcao.cli.registry import registry
from balcao.cli.retention import retention
from balcao.cli.sandbox import sandbox
from balcao.cli.serve import serve, worker
from balcao.cli.token import token

balcao = typer.Typer(
    name="balcao",
    help="Balcão: serviços municipais ao cidadão.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (serve, worker, migrate, demo, token, openapi, doctor):
    balcao.command()(command)
balcao.add_typer(jobs, name="jobs")
balcao.add_typer(registry, name="registry")
balcao.add_typer(citizen, name="citizen")
balcao.add_typer(audit, name="audit")
balcao.add_typer(retention, name="retention")
balcao.add_typer(sandbox, name="sandbox")
balcao.add_typer(identity, name="identity")
