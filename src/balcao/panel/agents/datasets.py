"""Pages for data sets and experiments.

An experiment compares how versions of an agent answer the same examples.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from balcao.core.http.responses import Response
from balcao.panel.agents import dataset_client as client
from balcao.panel.agents.forms import DatasetForm, ExamplesForm
from balcao.panel.agents.labels import name_agent
from balcao.panel.agents.rights import DATA_MANAGE, DATA_READ
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import FieldFault, ValidationFailed, gather_blocks
from balcao.web.declaration import MIB
from balcao.web.forms import Form
from balcao.web.visit import Crumb
from balcao.web.words import format_count

pages = Pages("agents", "/agentes")
_SHOWN = 25
# The service accepts at most this many examples and bytes in one call.
_MOST_EXAMPLES, _MOST_BYTES = 1_000, 4 * MIB
_LINE = re.compile(r"^linha ([0-9]+)")
# Show at most this many errors of one call.
_MOST_FAULTS = 10
_BODY_LIMIT = 16 * MIB


@pages.get("/dados", "Conjuntos de exemplos", actions=[DATA_READ], in_menu=True)
async def list_datasets(visit: Visit) -> Response[Any]:
    """List the data sets, newest first."""
    found = await client.list_datasets(visit.api, visit.query.first("depois") or None)
    return visit.render("agents/datasets.html", found=found)


@pages.form("/dados/novo", "Novo conjunto", actions=[DATA_MANAGE])
async def create_dataset(visit: Visit) -> Response[Any]:
    """Create a data set without examples."""
    form = DatasetForm(visit)
    if form.is_sent and await form.submit(
        lambda: client.create_dataset(visit.api, form.name.data or "", form.description.data or None, key=form.key)
    ):
        address = visit.address("agents.show_dataset", dataset=form.result.id)
        return await visit.redirect(address, "O conjunto foi criado. Agora acrescente exemplos.")
    return visit.render("agents/dataset_form.html", form=form, crumbs=[_datasets_crumb(visit)], status=form.status)


@pages.get("/dados/{dataset}", "Conjunto", actions=[DATA_READ])
async def show_dataset(visit: Visit, dataset: str) -> Response[Any]:
    """Show one page of a data set's examples, and its experiments."""
    found, experiments = await gather_blocks(
        client.read_dataset(visit.api, dataset, first=_SHOWN, after=visit.query.first("depois") or None),
        client.list_experiments(visit.api, dataset),
    )
    if found.fault is not None:
        raise found.fault
    return visit.render(
        "agents/dataset.html",
        dataset=found.value,
        experiments=experiments,
        name_agent=name_agent,
        write=write_json,
        crumbs=[_datasets_crumb(visit)],
    )


@pages.form("/dados/{dataset}/exemplos/novos", "Acrescentar exemplos", actions=[DATA_MANAGE], body_limit=_BODY_LIMIT)
async def add_examples(visit: Visit, dataset: str) -> Response[Any]:
    """Add examples, at most a thousand in each API call.

    If the service rejects a call because of a bad line, the examples from earlier calls remain stored. Resending the
    same examples changes nothing.
    """
    form = ExamplesForm(visit)
    found = await client.read_dataset(visit.api, dataset, first=1)
    back = visit.address("agents.show_dataset", dataset=dataset)
    if form.is_sent and await form.submit(lambda: _add(visit, dataset, form)):
        added, unchanged = form.result
        text = f"{format_count(added, 'exemplo acrescentado', 'exemplos acrescentados')}; {unchanged} já estavam aqui."
        return await visit.redirect(back, text)
    return visit.render(
        "agents/examples_form.html",
        form=form,
        back=back,
        crumbs=[_datasets_crumb(visit), Crumb(found.name, back)],
        status=form.status,
    )


async def _add(visit: Visit, dataset: str, form: ExamplesForm) -> tuple[int, int]:
    added = unchanged = 0
    for before, lines in split_examples(form.examples.data or ""):
        try:
            done = await client.add_examples(visit.api, dataset, lines)
        except ValidationFailed as fault:
            _count_lines_before(fault, before)
            raise
        added, unchanged = added + done.added, unchanged + done.unchanged
    return added, unchanged


def split_examples(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines for each call, with the number of lines before them. They include blank lines between examples.

    Only a line feed ends a line, as in the service. A JSON string may contain the other line separators of Unicode.
    """
    before, lines, examples, size = 0, list[str](), 0, 0
    for number, line in enumerate(map(str.strip, text.split("\n"))):
        if not line:
            continue
        blank, length = number - before - len(lines), len(line.encode()) + 1
        if not lines or examples == _MOST_EXAMPLES or size + blank + length > _MOST_BYTES:
            if lines:
                yield before, lines
            before, lines, examples, size, blank = number, [], 0, 0, 0
        lines += [*[""] * blank, line]
        examples, size = examples + 1, size + blank + length
    if lines:
        yield before, lines


def _count_lines_before(fault: ValidationFailed, before: int) -> None:
    """Change the line numbers in a call's errors to those of the whole text, and assign the errors to the field."""
    texts = [_LINE.sub(lambda found: f"linha {int(found[1]) + before}", each.text) for each in fault.faults]
    fault.faults = [FieldFault("examples", "; ".join(texts[:_MOST_FAULTS]))] if texts else ()


@pages.form("/dados/{dataset}/exemplos/{example}/excluir", "Excluir o exemplo", actions=[DATA_MANAGE])
async def delete_example(visit: Visit, dataset: str, example: str) -> Response[Any]:
    """Delete an example."""
    form = Form(visit)
    back = visit.address("agents.show_dataset", dataset=dataset)
    if form.is_sent and await form.submit(lambda: client.delete_example(visit.api, dataset, example)):
        return await visit.redirect(back, "O exemplo foi excluído.")
    return _confirm(
        visit, form, "Excluir o exemplo?", "As execuções dele deixam de aparecer. Não é possível desfazer.", back
    )


@pages.form("/dados/{dataset}/excluir", "Excluir o conjunto", actions=[DATA_MANAGE])
async def delete_dataset(visit: Visit, dataset: str) -> Response[Any]:
    """Delete a data set with its examples and experiments."""
    form = Form(visit)
    if form.is_sent and await form.submit(lambda: client.delete_dataset(visit.api, dataset)):
        return await visit.redirect(visit.address("agents.list_datasets"), "O conjunto foi excluído.")
    found = await client.read_dataset(visit.api, dataset, first=1)
    parts = f"{format_count(found.example_count, 'exemplo', 'exemplos')} e os experimentos"
    loss = f"A exclusão inclui {parts}." if found.example_count else "O conjunto não tem exemplos."
    text = f"{loss} Não é possível desfazer."
    back = visit.address("agents.show_dataset", dataset=dataset)
    return _confirm(visit, form, f"Excluir o conjunto {found.name}?", text, back)


@pages.get("/dados/{dataset}/experimentos/{experiment}", "Experimento", actions=[DATA_READ])
async def show_experiment(visit: Visit, dataset: str, experiment: str) -> Response[Any]:
    """Show the answers from an experiment's runs, optionally next to the answers from another experiment."""
    compared = visit.query.first("comparar") or None
    found = await client.list_experiments(visit.api, dataset)
    others = {edge.experiment.id: edge.experiment for edge in found.experiments.edges}
    runs = await client.read_runs(
        visit.api, experiment, compared=compared, after=visit.query.first("depois") or None, first=_SHOWN
    )
    back = visit.address("agents.show_dataset", dataset=dataset)
    return visit.render(
        "agents/experiment.html",
        dataset=dataset,
        experiment=others.get(experiment),
        others=[one for one in others.values() if one.id != experiment],
        compared=others.get(compared or ""),
        runs=runs,
        write=write_json,
        crumbs=[_datasets_crumb(visit), Crumb(found.name, back)],
    )


def write_json(value: Any) -> str:
    """Format a value from an example.

    Return a string unchanged, the string from an object with a single string member, "–" for an empty value, and JSON
    for any other value.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    return msgspec.json.format(msgspec.json.encode(value)).decode() if value not in (None, {}) else "–"


def _confirm(visit: Visit, form: Form, title: str, text: str, back: str) -> Response[Any]:
    return visit.render(
        "agents/move.html",
        form=form,
        title=title,
        text=text,
        changes=None,
        action_label=title.rstrip("?"),
        back=back,
        crumbs=[_datasets_crumb(visit)],
        status=form.status,
    )


def _datasets_crumb(visit: Visit) -> Crumb:
    return Crumb("Conjuntos de exemplos", visit.address("agents.list_datasets"))
