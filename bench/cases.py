"""The operations measured against the other programs: their requests and expected responses.

`bench.access` and `bench.agents` contain the cases measured without the other programs.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.load import COUNTED
from bench.rows import CONFIGS
from bench.stage import Stage

CONNECTIONS = 32
ASKING = 64
KEPT = 12  # few enough configurations that all stay cached
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
PET = {
    "animal_nome": "Bolinha",
    "especie_nome": "Cachorro",
    "sexo_sigla": "F",
    "nascimento_data": "2021-05-04",
    "indicador_castrado": True,
    "raca_nome": "Sem raça definida",
    "porte_nome": "Pequeno",
}


@dataclass(frozen=True)
class Case:
    """A measured operation.

    Each response's body must contain the request's `expected` bytes. `volatile` members may differ between servers. The
    tables that a case `writes` are emptied before each round.
    """

    key: str
    requests: Sequence[bytes]
    expected: Sequence[bytes]
    status: int = 200
    connections: int = CONNECTIONS
    writes: bool = False
    volatile: frozenset[str] = frozenset()


def cases(stage: Stage) -> list[Case]:
    """Return the cases. Two of them read configurations: one from table rows, one from cached responses."""
    own = dict(itertools.islice(stage.own.items(), ASKING))
    units = list(itertools.islice(itertools.cycle(stage.units), len(own)))
    preferences = preferences_case(own)
    return [
        Case("token", [get_request("/agent/api/v1/auth", token) for token in own.values()], [b'"ok"'] * len(own)),
        Case(
            "risk",
            [
                get_request(f"/health-units/unidade/{cnes}/risco", token)
                for cnes, token in zip(units, own.values(), strict=True)
            ],
            _members("cnes", units),
        ),
        _configs("config_kept", stage, KEPT),
        _configs("config_row", stage, CONFIGS),
        *(replace(preferences, key=f"preferences_{count}", connections=count) for count in (1, 4)),
        preferences,
        Case(
            "pets_list",
            [get_request(f"/registry/v1/citizen/{cpf}/pets", token) for cpf, token in own.items()],
            [b'"total":3'] * len(own),
        ),
        Case(
            "pets_create",
            [_pet(cpf, token) for cpf, token in stage.own.items()],
            _members("animal_nome", ["Bolinha"] * len(stage.own)),
            status=201,
            writes=True,
            volatile=frozenset({"id_animal", "registro_data"}),
        ),
        Case(
            "webhook",
            [_event(stage.webhook, cpf) for cpf in own],
            [b'"accepted"'] * len(own),
            status=202,
            writes=True,
        ),
    ]


def preferences_case(own: Mapping[str, str]) -> Case:
    """Return the case in which each of these people reads their own preferences."""
    requests = [
        get_request(f"/registry/v1/citizen/{cpf}/notification-preferences", token) for cpf, token in own.items()
    ]
    return Case("preferences", requests, _members("cpf", own))


def own_record_case(own: Mapping[str, str]) -> Case:
    """Return the case in which each of these people reads their own record."""
    requests = [get_request(f"/registry/v1/citizen/{cpf}", token) for cpf, token in own.items()]
    return Case("own_record", requests, _members("cpf", own))


def _configs(key: str, stage: Stage, count: int) -> Case:
    ids = [f"00000000-0000-0000-0000-{number:012}" for number in range(1, count + 1)]
    requests = [get_request(f"/agent/api/v1/agent-config/by-id/{config}", stage.runtime) for config in ids]
    return Case(key, requests, _members("config_id", ids), connections=ASKING)


def _members(name: str, values: Iterable[str]) -> list[bytes]:
    return [f'"{name}":"{value}"'.encode() for value in values]


def get_request(path: str, token: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def _event(token: str, cpf: str) -> bytes:
    """Return an event with a different time in each request, because a repeated event would cause no work."""
    instant = f"2026-01-02T03:04:05.{COUNTED.decode()}Z"
    body = {"cpf": cpf, "evento": "atualizacao", "updatedAt": instant, "dados": DADOS}
    return _post("/registry/v1/webhooks/crm/cidadao", token, body)


def _pet(cpf: str, token: str) -> bytes:
    """Return a request with a different key each time, because a repeated key returns the stored response."""
    return _post(f"/registry/v1/citizen/{cpf}/pets", token, PET, f"Idempotency-Key: bench-{COUNTED.decode()}\r\n")


def _post(path: str, token: str, value: object, further: str = "") -> bytes:
    body = json.dumps(value).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n{further}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
