"""The operations that are measured: what is asked, what a good answer is, and the bare statements of the same work."""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pgqueuer.adapters.persistence.qb import QueryQueueBuilder

from balcao.agents.versions import store as versions
from balcao.core.context import audit as events
from balcao.core.jobs.worker import _names
from balcao.registry.consent.preferences import store as preferences
from balcao.registry.crm.events import store as crm_events
from bench.loader import COUNTED
from bench.stage import CONFIGS, FIRST_NUMBER, PEOPLE, Stage

# The platform's own, word for word.
READ_PREFERENCES = preferences._READ
READ_CONFIG = versions._READ_CONFIG
KEEP_EVENT = crm_events._KEEP
RECORD = events._INSERT
ENQUEUE = QueryQueueBuilder(_names()).build_enqueue_query()

KEPT = 12  # configurations asked for again and again: these stay in memory
DADOS = {
    "accountId": "001BX000003DEMO",
    "email": "pessoa.exemplo@correio.example",
    "telefonePrincipal": "+5551999990000",
    "telefone1": "+5551999990000",
    "tipoTelefone1": "Celular",
    "genero": "Mulher cisgênero",
    "raca": "Parda",
    "escolaridade": "Ensino superior completo",
    "rendaFamiliar": "De 2 a 4 salários mínimos",
    "idioma": ["Português"],
    "isTourist": False,
    "endereco": {"logradouro": "Rua das Acácias, 120", "bairro": "Centro", "cidade": "Porto Aurora", "cep": "90000000"},
    "consentimento": [
        {"categoria": "events", "canal": "email", "status": "IN", "data": "2026-01-02"},
        {"categoria": "courses", "canal": "whatsapp", "status": "OUT", "motivo": "Não tenho interesse"},
    ],
}


@dataclass(frozen=True)
class Case:
    """`script` is pgbench's, with its variables; none for what touches no database. `writes` fills tables."""

    key: str
    title: str
    requests: list[bytes]
    status: int = 200
    script: str = ""
    variables: Mapping[str, str] | None = None
    writes: bool = False


def cases(stage: Stage) -> list[Case]:
    """The configuration comes twice: as a row that is read, and as the ready answer that it then stays."""
    own = stage.own
    return [
        dataclasses.replace(
            preferences_case(own),
            script=f"\\set n random({FIRST_NUMBER}, {FIRST_NUMBER + PEOPLE - 1})\n{filled(READ_PREFERENCES, ':n')};\n",
        ),
        Case(
            "webhook",
            "aceite do webhook",
            [_event(stage.webhook, cpf) for cpf in own],
            status=202,
            script=_ACCEPT,
            variables={"dados": json.dumps(DADOS)},
            writes=True,
        ),
        Case(
            "risk",
            "risco da unidade",
            [
                _get(f"/health-units/unidade/{cnes}/risco", token)
                for cnes, token in zip(_over(stage.units, len(own)), own.values(), strict=True)
            ],
        ),
        Case(
            "config_row",
            "configuração por id (linha)",
            [_config(stage, number) for number in range(1, CONFIGS + 1)],
            script=f"\\set n random(1, {CONFIGS})\n{filled(READ_CONFIG, _CONFIG_ID)};\n",
        ),
        Case("config_kept", "configuração por id (em memória)", [_config(stage, n) for n in range(1, KEPT + 1)]),
        Case("token", "verificação do token", [_get("/agent/api/v1/auth", token) for token in own.values()]),
    ]


def preferences_case(own: Mapping[str, str]) -> Case:
    """Each of these people, by token, reads their own."""
    requests = [_get(f"/registry/v1/citizen/{cpf}/notification-preferences", token) for cpf, token in own.items()]
    return Case("preferences", "leitura de preferências", requests)


def filled(statement: str, *values: str) -> str:
    """The statement with these texts in the places of `$1`, `$2`, ..."""
    return re.sub(r"\$(\d+)", lambda found: values[int(found[1]) - 1], statement)


_CONFIG_ID = "lpad(:n::text, 32, '0')::uuid"
_SHA = "sha256(convert_to(:dados, 'UTF8'))"
_SUBJECT = "sha256(convert_to(:n, 'UTF8'))"
_ACCEPT = f"""
\\set n random({FIRST_NUMBER}, {FIRST_NUMBER + PEOPLE - 1})
BEGIN;
{filled(KEEP_EVENT, "gen_random_uuid()", ":n", "'atualizacao'", "clock_timestamp()", ":dados", _SHA, "'c'", "'r'")};
{filled(ENQUEUE, "'{0}'", "'{crm_event}'", "ARRAY['e'::bytea]", "'{0}'", "'{NULL}'", "ARRAY['{}'::jsonb]")};
{
    filled(
        RECORD,
        "gen_random_uuid()",
        "'r'",
        "'registry.receive_crm_event'",
        "'event'",
        _SUBJECT,
        "'***.000.000-**'",
        "'client'",
        "NULL",
        "1",
        "'c'",
        "'client'",
        "'{" + ",".join(sorted(DADOS)) + "}'",
        "NULL",
        "'done'",
    )
};
COMMIT;
"""


def _get(path: str, token: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def _config(stage: Stage, number: int) -> bytes:
    path = f"00000000-0000-0000-0000-{number:012}"
    return _get(f"/agent/api/v1/agent-config/by-id/{path}", stage.runtime)


def _event(token: str, cpf: str) -> bytes:
    """Another instant each time, for the same event again would be no work."""
    instant = f"2026-01-02T03:04:05.{COUNTED.decode()}Z"
    body = json.dumps({"cpf": cpf, "evento": "atualizacao", "updatedAt": instant, "dados": DADOS}).encode()
    head = (
        f"POST /registry/v1/webhooks/crm/cidadao HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _over(values: Iterable[str], count: int) -> list[str]:
    known = list(values)
    return [known[number % len(known)] for number in range(count)]
