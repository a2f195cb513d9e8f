"""Pages for the search's schema migrations: dry runs, starts, progress, aborts and rollbacks."""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import search_client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.forms import MigrationReasonForm, StartForm
from balcao.panel.catalogue.labels import PHASES, RUNS
from balcao.panel.catalogue.routes import AREA, MIGRATIONS_BACK, MIGRATIONS_READ, MIGRATIONS_START
from balcao.panel.declaration import Item, Pages
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.forms import list_choices
from balcao.web.lists import Listing
from balcao.web.visit import Crumb

pages = Pages(AREA, "")


@pages.form("/migracao", "Migração da busca", actions=[MIGRATIONS_READ], in_menu=True)
async def show_migrations(visit: Visit) -> Response[Any]:
    """Show the current schema and all runs. The form starts a migration or a dry run."""
    versions = await search_client.read_schema_versions(visit.api)
    form = StartForm(visit, {"schema_version": versions.current_version})
    form.schema_version.choices = list_choices(
        (one, f"{one} (em uso: reconstruir)" if one == versions.current_version else one)
        for one in versions.available_versions
    )
    report = None
    if form.is_sent and await form.submit(lambda: _start(visit, form)):
        if form.dry_run.data == "valer":
            here = visit.address("catalogue.show_run", run=form.result.migration_id)
            return await visit.redirect(here, "A migração começou.")
        report = form.result.dry_run
    listing = Listing(visit, ("execução", "execuções"))
    blocks: list[Block[Any]] = await gather_blocks(
        search_client.list_runs(visit.api, listing.number, listing.size),
        search_client.read_migration_status(visit.api),
    )
    runs, current = blocks
    if runs.value is not None:
        listing.rows, listing.total = runs.value.migrations, runs.value.found
    return visit.render(
        "catalogue/migrations.html",
        form=form,
        report=report,
        versions=versions,
        listing=listing,
        runs=runs,
        current=current,
        states=RUNS,
        to_moment=to_moment,
        starts=visit.may(MIGRATIONS_START),
        status=form.status,
    )


@pages.get("/migracao/{run}", "Execução da migração", actions=[MIGRATIONS_READ])
async def show_run(visit: Visit, run: str) -> Response[Any]:
    """Show the progress of a run. The page's script polls the page until the run ends."""
    found = await search_client.read_run(visit.api, run)
    return visit.render(
        "catalogue/run_progress.html" if visit.is_fragment else "catalogue/run.html",
        run=found,
        states=RUNS,
        phases=PHASES,
        to_moment=to_moment,
        starts=visit.may(MIGRATIONS_START),
        undoes=visit.may(MIGRATIONS_BACK),
        crumbs=[_crumb(visit)],
    )


@pages.form("/migracao/{run}/interromper", "Interromper a migração", actions=[MIGRATIONS_START])
async def abort_run(visit: Visit, run: str) -> Response[Any]:
    """Ask for confirmation, and stop a running migration."""
    found = await search_client.read_run(visit.api, run)
    form = MigrationReasonForm(visit)
    here = visit.address("catalogue.show_run", run=run)
    if form.is_sent and await form.submit(
        lambda: search_client.abort_migration(visit.api, run, form.reason.data or None)
    ):
        return await visit.redirect(here, "A migração foi interrompida; a busca segue como estava.")
    return visit.render(
        "catalogue/abort.html", form=form, run=found, back=here, crumbs=[_crumb(visit)], status=form.status
    )


@pages.form("/migracao/{run}/desfazer", "Desfazer a migração", actions=[MIGRATIONS_BACK])
async def undo_run(visit: Visit, run: str) -> Response[Any]:
    """Ask for confirmation, and restore the previous schema."""
    found = await search_client.read_run(visit.api, run)
    form = MigrationReasonForm(visit)
    here = visit.address("catalogue.show_run", run=run)
    if form.is_sent and await form.submit(
        lambda: search_client.roll_back_migration(visit.api, run, form.reason.data or None)
    ):
        back = visit.address("catalogue.show_migrations")
        return await visit.redirect(back, f"A busca voltou ao esquema {form.result.schema_version}.")
    return visit.render(
        "catalogue/undo.html",
        form=form,
        run=found,
        back=here,
        to_moment=to_moment,
        crumbs=[_crumb(visit)],
        status=form.status,
    )


async def find_running_migration(visit: Visit) -> Sequence[Item]:
    """Return one item for the running migration, or no items if no migration is running."""
    found = await search_client.read_migration_status(visit.api)
    if found.status != "in_progress" or found.migration_id is None:
        return []
    here = visit.address("catalogue.show_run", run=found.migration_id)
    return [Item("Migração da busca em andamento", here, f"{found.progress} %", "Catálogo", action_label="Acompanhar")]


async def _start(visit: Visit, form: StartForm) -> search_client.Run:
    reason = (form.reason.data or "").strip() or None
    is_tried = form.dry_run.data != "valer"
    return await search_client.start_migration(visit.api, form.schema_version.data, dry_run=is_tried, reason=reason)


def _crumb(visit: Visit) -> Crumb:
    return Crumb("Migração da busca", visit.address("catalogue.show_migrations"))
