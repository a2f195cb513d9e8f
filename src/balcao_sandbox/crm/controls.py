"""A page for controlling the sandbox CRM. It injects faults, describes their effects, and resets the data."""

import secrets
from typing import Any, NamedTuple

import msgspec

from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, NO_STORE, Response, redirect
from balcao.identity.oauth import InvalidRequest, parse_form
from balcao.web.templating import make_environment
from balcao_sandbox.crm.faults import SIMULATORS, Fault
from balcao_sandbox.crm.routes import Route, SandboxCrm
from balcao_sandbox.identity import demo

PATH = "/_sandbox/controls"
MOST_TIMES = 100
# A delay longer than the timeout of every call that the platform makes to the CRM.
_TOO_LONG_MS = 60_000


class Preset(NamedTuple):
    """A fault that the page offers. `expected` describes what callers of the platform experience."""

    label: str
    fault: Fault
    expected: str


PRESETS = {
    "timeout": Preset(
        "Demora demais (timeout)",
        Fault(mode="latency", ms=_TOO_LONG_MS),
        "Quem lê do CRM recebe 502 `crm-away` no fim do prazo; depois de várias, 502 `crm-circuit-open` sem espera. "
        "Uma mudança da pessoa é aceita e o envio ao CRM se repete.",
    ),
    "misdirected": Preset(
        "Responde com o registro de outra pessoa",
        Fault(mode="misdirected", operation="query"),
        "A resposta é recusada inteira: 502 `crm-away`. Nada da outra pessoa é mostrado nem gravado.",
    ),
    "garbage": Preset(
        "Responde algo que não é JSON",
        Fault(mode="garbage"),
        "Quem lê do CRM recebe 502 `crm-away`. O envio de mudanças se repete até dar certo.",
    ),
    "rate_limit": Preset(
        "Limita as chamadas (429)",
        Fault(mode="rate_limit", retry_after=1),
        "A plataforma espera o que o CRM pede e repete; se dura, 502 `crm-away`.",
    ),
    "reset": Preset(
        "Fecha a conexão", Fault(mode="reset"), "Leituras se repetem; se dura, 502 `crm-away`."
    ),
    "expired_token": Preset(
        "Diz que o token da plataforma venceu",
        Fault(mode="expired_token", times=1),
        "Nada se vê: a plataforma obtém outro token e repete, uma vez.",
    ),
}  # fmt: skip
# Each form must contain this value. Another site can make a browser submit a form, but cannot read the value from the
# page.
_CSRF = secrets.token_urlsafe(32)
_ENVIRONMENT = make_environment("balcao_sandbox.crm", "templates")
_STYLE = _ENVIRONMENT.get_template("controls.css").render()
_HEADERS = {
    "Content-Security-Policy": allow_style(_STYLE).replace("form-action 'none'", "form-action 'self'"),
    "Cache-Control": NO_STORE,
}


def show_controls(_: Request, crm: SandboxCrm) -> Response[str]:
    """Return the page with the controls."""
    people = [(person.name, person.username, person.cpf) for person in demo.people()]
    simulators = [
        (f"9000{numbers.start:05d}", f"9000{numbers.stop - 1:05d}", fault.mode) for numbers, fault in SIMULATORS.items()
    ]
    body = _ENVIRONMENT.get_template("controls.html").render(
        path=PATH,
        csrf=_CSRF,
        style=_STYLE,
        presets=PRESETS,
        planted=crm.sandbox.faults.list_faults(),
        people=people,
        simulators=simulators,
    )
    return Response(body.encode(), media_type=HTML, headers=_HEADERS)


def plant_fault(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Replace all injected faults with the chosen fault."""
    form = _read_form(request)
    preset, times = PRESETS.get(form.get("preset", "")), form.get("times", "")
    if preset is None:
        raise InvalidRequest("Escolha uma das falhas da página.")
    if times and not (times.isascii() and times.isdigit() and 1 <= int(times) <= MOST_TIMES):
        raise InvalidRequest(f"Diga quantas vezes, de 1 a {MOST_TIMES}, ou nada: até que se desligue.")
    lasting = int(times) if times else preset.fault.times
    crm.sandbox.faults.replace([msgspec.structs.replace(preset.fault, times=lasting)])
    return redirect(PATH, 303)


def clear_faults(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Remove all injected faults."""
    _read_form(request)
    crm.sandbox.faults.replace([])
    return redirect(PATH, 303)


def reset_crm(request: Request, crm: SandboxCrm) -> Response[Any]:
    """Reset the CRM to its demo accounts, without faults and with an empty journal."""
    _read_form(request)
    crm.sandbox.reset()
    return redirect(PATH, 303)


def _read_form(request: Request) -> Any:
    form = parse_form(request.headers.text(b"content-type") or "", request.content)
    if not secrets.compare_digest(form.get("csrf", "").encode(), _CSRF.encode()):
        raise InvalidRequest("O formulário não é desta página: abra-a de novo.")
    return form


ROUTES: list[Route] = [
    ("GET", PATH, show_controls),
    ("POST", f"{PATH}/fault", plant_fault),
    ("POST", f"{PATH}/clear", clear_faults),
    ("POST", f"{PATH}/reset", reset_crm),
]
