"""Forms for changing a person's data. They work in the same way at the counter and on the person's own page."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from balcao.core.http.responses import Response
from balcao.web.api import Conflict, NotFound, RateLimited, ValidationFailed, gather_blocks
from balcao.web.person import client
from balcao.web.person.client import Category, MainAddress, Preferences, Subject
from balcao.web.person.forms import AddressForm, CodeForm, EmailForm, PhoneForm, PreferencesForm
from balcao.web.visit import Crumb, SessionVisit
from balcao.web.words import format_duration, join_words

_PHONE = ("ddi", "ddd", "valor")


class PersonPage(NamedTuple):
    """The person whose data is changed, and the page that is shown after the change.

    `pending` is what the person interrupted for the change. Only the site's templates use it.
    """

    subject: Subject
    home: str
    crumbs: Sequence[Crumb]
    is_own: bool = False
    pending: Any = None


async def change_email(visit: SessionVisit, page: PersonPage) -> Response[Any]:
    """Show and process the form for the e-mail address."""
    form = EmailForm(visit)
    if form.is_sent and await form.submit(lambda: client.change_email(page.subject, form.email.data or "")):
        return await visit.redirect(page.home, "O e-mail foi gravado.")
    return visit.render("person/email.html", form=form, person_page=page, crumbs=page.crumbs, status=form.status)


async def change_address(visit: SessionVisit, page: PersonPage) -> Response[Any]:
    """Show and process the form for the address. Initially, it contains the stored address."""
    known = None if visit.is_post else await client.read_address(page.subject)
    form = AddressForm(visit, _to_fields(known))
    if form.is_sent and await form.submit(lambda: client.change_address(page.subject, form.data)):
        return await visit.redirect(page.home, "O endereço foi gravado.")
    return visit.render("person/address.html", form=form, person_page=page, crumbs=page.crumbs, status=form.status)


def _to_fields(address: MainAddress | None) -> dict[str, str]:
    if address is None:
        return {}
    return {name: getattr(address, name) or "" for name in address.__struct_fields__}


async def change_phone(visit: SessionVisit, page: PersonPage, confirmation: str) -> Response[Any]:
    """Send a code to a new number, and show the form for the code.

    The form for the code posts to the address `confirmation`. If the person asks for another code too soon, the form
    stays and says how long to wait.
    """
    form = PhoneForm(visit)
    is_repeated = visit.posted.first("passo") == "outro-codigo"
    try:
        if form.is_sent and await form.submit(lambda: client.ask_for_code(page.subject, form.parts)):
            visit.notice = "Mandamos outro código. O anterior não vale mais." if is_repeated else visit.notice
            return _ask_for_code(visit, page, CodeForm(visit, form.parts, is_sent=False), confirmation)
    except RateLimited as fault:
        if not is_repeated:
            raise
        waiting = CodeForm(visit, form.parts)
        wait = format_duration(fault.retry_after)
        waiting.refusal = f"Ainda não dá para mandar outro código. Espere {wait} e peça de novo."
        return _ask_for_code(visit, page, waiting, confirmation)
    return visit.render("person/phone.html", form=form, person_page=page, crumbs=page.crumbs, status=form.status)


async def confirm_phone(visit: SessionVisit, page: PersonPage) -> Response[Any]:
    """Confirm the new number with the code. The number becomes the person's main number."""
    form = CodeForm(visit)
    phone = {name: form.data[name] or "" for name in _PHONE}
    try:
        if await form.submit(lambda: client.confirm_phone(page.subject, phone, form.code.data or "")):
            return await visit.redirect(page.home, "O telefone foi confirmado e passa a valer.")
    except NotFound:
        form.code.errors = ["O código não confere ou já venceu. Confira e tente de novo, ou peça outro."]
    return _ask_for_code(visit, page, form, visit.path)


def _ask_for_code(visit: SessionVisit, page: PersonPage, form: CodeForm, confirmation: str) -> Response[Any]:
    return visit.render(
        "person/code.html", form=form, person_page=page, posts_to=confirmation, crumbs=page.crumbs, status=form.status
    )


async def change_preferences(visit: SessionVisit, page: PersonPage, **values: Any) -> Response[Any]:
    """Show and process the choices about messages.

    Choices are saved only if they have not changed since they were shown. `values` contains additional values for the
    template.
    """
    found = await client.read_preferences(page.subject)
    (named,) = await gather_blocks(client.list_categories(visit.api))
    form = PreferencesForm(visit, {"opt_in": found.value.opt_in}, etag=found.etag)
    if page.is_own:
        form.opt_in.label.text = "Aceito receber mensagens da prefeitura"
        form.reason.label.text = "Se não quer mais, por quê? (opcional)"
    given = visit.posted if form.is_sent else visit.draft
    wanted = given.getlist("assuntos") if given else None
    chosen = {
        each: (each in wanted if wanted is not None else is_in) for each, is_in in found.value.category_opt_ins.items()
    }

    labels = {one.id: one for one in named.value.categories} if named.value else {}

    async def send() -> None:
        await client.change_preferences(
            page.subject,
            form.etag,
            opt_in=form.opt_in.data,
            categories=chosen,
            reason=(form.reason.data or "").strip(),
        )

    if form.is_sent and (form.opt_in.data, chosen) == (found.value.opt_in, found.value.category_opt_ins):
        return await visit.redirect(page.home, "Nada mudou: as escolhas já eram essas.")
    if form.is_sent and await form.submit(send):
        return await visit.redirect(page.home, _describe_change(found.value, form.opt_in.data, chosen, labels))
    if form.is_outdated:  # keep the typed values, but for the current version
        form.etag = found.etag
    return visit.render(
        "person/preferences.html",
        form=form,
        chosen=chosen,
        is_opted_in=found.value.opt_in,
        labels=labels,
        person_page=page,
        crumbs=page.crumbs,
        status=form.status,
        **values,
    )


def _describe_change(
    before: Preferences, opt_in: bool, chosen: Mapping[str, bool], labels: Mapping[str, Category]
) -> str:
    """Confirm a change of the choices, and name what the person now accepts and refuses.

    If the person now accepts messages at all, also name every subject that arrives from now on.
    """
    changed = {"mensagens da prefeitura": opt_in} if opt_in != before.opt_in else {}
    for id_, is_in in chosen.items():
        if is_in != before.category_opt_ins[id_]:
            changed[labels[id_].name if id_ in labels else id_] = is_in
    accepted, refused = ([name for name, is_in in changed.items() if is_in is kind] for kind in (True, False))
    parts = [f"{verb} {join_words(names)}" for verb, names in (("aceita", accepted), ("recusa", refused)) if names]
    text = f"A escolha foi gravada e está no histórico: agora {'; '.join(parts)}."
    if not opt_in or before.opt_in:
        return text
    arriving = [labels[id_].name if id_ in labels else id_ for id_, is_in in chosen.items() if is_in]
    return (
        f"{text} {f'Assuntos que chegam agora: {join_words(arriving)}' if arriving else 'Nenhum assunto está marcado'}."
    )


class Erasure(NamedTuple):
    """The state of an anonymisation: tried, refused or done."""

    report: client.Anonymisation | None
    is_done: bool = False
    refusal: str = ""


async def rehearse(subject: Subject) -> Erasure:
    """Return the data that an anonymisation would erase, and the data that it would keep. This changes nothing."""
    try:
        return Erasure(await client.rehearse_anonymisation(subject))
    except (Conflict, ValidationFailed) as fault:
        return Erasure(None, refusal=fault.text)


async def erase(subject: Subject, confirmation: str) -> Erasure:
    """Carry out the anonymisation whose report the person has seen.

    If the data has changed since then or the confirmation has expired, return a new report instead.
    """
    try:
        return Erasure(await client.anonymise(subject, confirmation), is_done=True)
    except (Conflict, ValidationFailed) as fault:
        again = await rehearse(subject)
        return again._replace(refusal=fault.text)
