"""The specification as a table: operation, case, status and exact body.

`path` and `body` may contain demo examples in braces. `who` is a person's CPF, a client's id, or None.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.support.body_shapes import (
    ANYTHING,
    CODE_MESSAGE,
    DETAIL,
    ERROR,
    INSTANT,
    ITEMS,
    ITEMS_WITH_INPUT,
    MapOf,
    Matching,
    OneOf,
    Optional,
    Some,
)

ANA, BRUNO, CARLA = "90000000175", "90000000256", "90000000337"
ADMIN, NO_RIGHTS = "90000040126", "90000040479"
CRM, PORTAL, HEALTH_PANEL, AGENTS = "crm-sandbox", "portal-cidadao", "painel-saude", "agentes-runtime"
UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True)
class Case:
    operation: str
    name: str
    method: str
    path: str
    who: str | None
    status: int
    shape: Any
    body: Any = None
    content: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.operation}: {self.name}"


WEBHOOK = "/registry/v1/webhooks/crm/cidadao"
PREFERENCES = "/registry/v1/citizen/{citizen_cpf}/notification-preferences"
GENDER = "/registry/v1/citizen/{citizen_cpf}/gender"
VALIDATE = "/registry/v1/auth/validate"
AVAILABILITY = "/jobs/api/v1/empregabilidade/disponibilidades/{availability_id}"
EXPERIENCE = "/jobs/api/v1/empregabilidade/curriculo/experiencias/{experience_id}"
BEHAVIOUR = "/jobs/api/v1/empregabilidade/curriculo/comportamentos-atitudes/{behaviour_link_id}"
WORK_MODEL = "/jobs/api/v1/empregabilidade/modelos-trabalho/{work_model_id}"
JOB = "/jobs/api/v1/empregos/{job_id}"
COMPARE = "/search/api/v1/admin/services/{service_id}/versions/compare"
ROLLBACK = "/search/api/v1/admin/migration/rollback"
HISTORY = "/search/api/v1/admin/migration/history"
ACTION = "/access/api/v1/actions/{action_id}"
RISK = "/health-units/unidade/{cnes_active}/risco"
CONFIG = "/agent/api/v1/agent-config/by-id/{agent_config_id}"
EXAMPLES = "/agent/api/v1/dataset_examples_data"

ACKNOWLEDGEMENT = {"cpf": Matching(r"\*{3}\.\d{3}\.\d{3}-\*{2}"), "evento": str, "message": str, "status": str}
PREFERENCES_BODY = {"cpf": str, "opt_in": bool, "category_opt_ins": MapOf(bool), "updated_at": INSTANT}
MESSAGE = {"message": str}
DEPENDENCY = {"status": bool, "message": str, "timestamp": INSTANT}
HEALTH = {
    "services": {"datastore": DEPENDENCY, "cache": DEPENDENCY},
    "status": bool,
    "timestamp": INSTANT,
    "version": str,
}
_TEXT_KEYS = (
    "canalOrigem canalUltimaModificacao complemento dataNascimento deficiencia email escolaridade genero nacionalidade "
    "nomeExibicao nomeSocial passaporte raca rendaFamiliar telefone1 telefone2 telefone3 telefoneInternacional "
    "telefonePrincipal tipoTelefone1 tipoTelefone2 tipoTelefone3"
).split()
CONSENT = Some({}, dict.fromkeys("acao canal categoria data finalidade motivo status".split(), str))
ADDRESS = Some({}, dict.fromkeys("bairro cep cidade complemento estado logradouro pais".split(), str))
CIDADAO = Some(
    {
        "accountId": str,
        "cpf": str,
        "nome": str,
        "consentimento": [CONSENT],
        "idioma": [str],
        "isTourist": bool,
        "endereco": ADDRESS,
    },
    dict.fromkeys(_TEXT_KEYS, str),
)
REFERENCE = {"id": str, "descricao": str, "created_at": INSTANT, "updated_at": INSTANT}
EXPERIENCE_BODY = {
    "id": str,
    "cpf": str,
    "cargo": str,
    "empresa": str,
    "descricao_atividades": str,
    "eh_trabalho_atual": bool,
    "experiencia_comprovada_ct": bool,
    "tempo_experiencia_meses": int,
    "created_at": INSTANT,
    "updated_at": INSTANT,
}
CHANGE = {"field_name": str, "old_value": ANYTHING, "new_value": ANYTHING, "value_type": str}
COMPARISON = {
    "change_type": str,
    "changed_at": int,
    "changed_by": str,
    "from_version": int,
    "to_version": int,
    "changes": [CHANGE],
}
STATUS = OneOf("idle", "in_progress", "completed", "failed", "rollback")
MIGRATION = {
    "backup_collection": str,
    "completed_at": int,
    "error_message": str,
    "is_locked": bool,
    "migrated_documents": int,
    "progress": int,
    "schema_version": str,
    "source_collection": str,
    "started_at": int,
    "started_by": str,
    "status": STATUS,
    "target_collection": str,
    "total_documents": int,
}
ENTRY = {
    "id": str,
    "completed_at": int,
    "error_message": str,
    "previous_schema_version": str,
    "schema_version": str,
    "started_at": int,
    "started_by": str,
    "status": STATUS,
    "total_documents": int,
}
HISTORY_BODY = {"found": int, "migrations": [ENTRY], "out_of": int, "page": int}
ACTION_BODY = {"id": int, "name": str, "description": str, "endpoint_count": int}
NOTIFICATION = {
    "risco": OneOf("Verde", "Amarelo", "Laranja", "Vermelho"),
    "status": OneOf("Ativo", "Encerrado"),
    "ultima_atualizacao": Matching(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}-03:00"),
}
RISK_BODY = {
    "cnes": Matching(r"\d{7}"),
    "notificacao_ativa": Optional(NOTIFICATION),
    "ultima_notificacao": Optional(NOTIFICATION),
}
CONFIG_BODY = {
    "config_id": str,
    "agent_type": str,
    "version": int,
    "memory_blocks": [dict],
    "tools": [str],
    "model_name": str,
    "embedding_name": str,
    "created_at": Matching(r".+[+-]\d{2}:\d{2}"),
}
EXAMPLE = {
    "example": {
        "id": str,
        "latestRevision": {"input": MapOf(ANYTHING), "output": MapOf(ANYTHING), "metadata": MapOf(ANYTHING)},
        "span": ANYTHING,
    },
    "cursor": str,
}
DATASET_BODY = {
    "data": {
        "dataset": {
            "__typename": OneOf("Dataset"),
            "id": str,
            "name": str,
            "exampleCount": int,
            "examples": {"edges": [EXAMPLE], "pageInfo": {"endCursor": Optional(str), "hasNextPage": bool}},
        }
    }
}
EVENT = {"cpf": ANA, "evento": "atualizacao", "updatedAt": "2026-07-01T10:00:00Z", "dados": {"email": "a@b.example"}}


def webhook(name: str, status: int, who: str | None = CRM, **change: Any) -> Case:
    shape = ACKNOWLEDGEMENT if status == 202 else ERROR
    return Case("webhook", name, "POST", WEBHOOK, who, status, shape, body=EVENT | change)


CASES = [
    webhook("an update", 202),
    webhook("evento left out", 202, evento=None),
    webhook("an anonymisation", 202, cpf="90000001147", evento="anonimizacao", dados=None),
    webhook("ignored members", 202, dados={"nome": 1, "nomeSocial": 2, "dataNascimento": 3}),
    webhook("surplus members", 202, mais="x"),
    webhook("an invalid CPF", 400, cpf="90000000176"),
    webhook("no dados", 400, dados=None),
    webhook("too large dados", 400, dados={"email": "a" * 65_536}),
    webhook("too long updatedAt", 400, updatedAt="2" * 65),
    webhook("an invalid evento", 400, evento="exclusao"),
    webhook("no token", 401, who=None),
    webhook("a client not in the list", 403, who=PORTAL),
    webhook("an administrator", 403, who=ADMIN),
    Case("webhook", "no body", "POST", WEBHOOK, CRM, 400, ERROR),
    Case("login sync", "an account that matches", "GET", VALIDATE, BRUNO, 200, {"action": OneOf("matched"), "cidadao": CIDADAO}),
    Case("login sync", "no token", "GET", VALIDATE, None, 401, ERROR),
    Case("login sync", "a machine", "GET", VALIDATE, PORTAL, 401, ERROR),
    Case("gender", "own", "PUT", GENDER, ANA, 200, MESSAGE, body={"valor": "Agênero"}),
    Case("gender", "own, surplus members", "PUT", GENDER, ANA, 200, MESSAGE, body={"valor": "Outro", "x": 1}),
    Case("gender", "no text", "PUT", GENDER, ANA, 400, ERROR, body={"valor": 5}),
    Case("gender", "no body", "PUT", GENDER, ANA, 400, ERROR),
    Case("gender", "no token", "PUT", GENDER, None, 401, ERROR, body={"valor": "x"}),
    Case("gender", "another citizen", "PUT", GENDER, BRUNO, 403, ERROR, body={"valor": "x"}),
    Case("gender options", "public", "GET", "/registry/v1/citizen/gender/options", None, 200, [str]),
    Case("gender options", "with a token", "GET", "/registry/v1/citizen/gender/options", ANA, 200, [str]),
    Case("preferences", "own", "GET", PREFERENCES, ANA, 200, PREFERENCES_BODY),
    Case("preferences", "no token", "GET", PREFERENCES, None, 401, ERROR),
    Case("preferences", "another citizen", "GET", PREFERENCES, BRUNO, 403, ERROR),
    Case("preferences", "malformed CPF, administrator", "GET", PREFERENCES.replace("{citizen_cpf}", "1"), ADMIN, 400, ERROR),
    Case("health check", "public", "GET", "/registry/v1/health", None, 200, HEALTH),
    Case("availability", "changed", "PUT", AVAILABILITY, ADMIN, 200, REFERENCE, body={"descricao": "Em até 10 dias", "id": "x"}),
    Case("availability", "no text", "PUT", AVAILABILITY, ADMIN, 400, ERROR, body={"descricao": None}),
    Case("availability", "no UUID", "PUT", AVAILABILITY.replace("{availability_id}", "abc"), ADMIN, 400, ERROR, body={"descricao": "x"}),
    Case("availability", "unknown", "PUT", AVAILABILITY.replace("{availability_id}", UNKNOWN_UUID), ADMIN, 404, ERROR, body={"descricao": "x"}),
    Case("availability", "taken", "PUT", AVAILABILITY, ADMIN, 409, ERROR, body={"descricao": "ACIMA DE 60 DIAS"}),
    Case("availability", "no token", "PUT", AVAILABILITY, None, 401, ERROR, body={"descricao": "x"}),
    Case("availability", "a citizen", "PUT", AVAILABILITY, ANA, 403, ERROR, body={"descricao": "x"}),
    Case("experience", "own", "GET", EXPERIENCE, ANA, 200, EXPERIENCE_BODY),
    Case("experience", "no UUID", "GET", EXPERIENCE.replace("{experience_id}", "abc"), ANA, 400, ERROR),
    Case("experience", "another citizen", "GET", EXPERIENCE, BRUNO, 404, ERROR),
    Case("experience", "a machine", "GET", EXPERIENCE, PORTAL, 404, ERROR),
    Case("experience", "no token", "GET", EXPERIENCE, None, 401, ERROR),
    Case("work model", "known", "GET", WORK_MODEL, BRUNO, 200, REFERENCE),
    Case("work model", "no UUID", "GET", WORK_MODEL.replace("{work_model_id}", "abc"), BRUNO, 400, ERROR),
    Case("work model", "unknown", "GET", WORK_MODEL.replace("{work_model_id}", UNKNOWN_UUID), BRUNO, 404, ERROR),
    Case("work model", "no token", "GET", WORK_MODEL, None, 401, ERROR),
    Case("behaviour link", "another citizen", "DELETE", BEHAVIOUR, BRUNO, 404, ERROR),
    Case("behaviour link", "no integer", "DELETE", BEHAVIOUR.replace("{behaviour_link_id}", "x"), ANA, 400, ERROR),
    Case("behaviour link", "a machine", "DELETE", BEHAVIOUR, PORTAL, 401, ERROR),
    Case("behaviour link", "no token", "DELETE", BEHAVIOUR, None, 401, ERROR),
    Case("behaviour link", "own", "DELETE", BEHAVIOUR, ANA, 200, MESSAGE),
    Case("behaviour link", "gone", "DELETE", BEHAVIOUR, ANA, 404, ERROR),
    Case("job removal", "no integer", "DELETE", JOB.replace("{job_id}", "abc"), ADMIN, 400, CODE_MESSAGE),
    Case("job removal", "no token", "DELETE", JOB, None, 401, CODE_MESSAGE),
    Case("job removal", "a citizen", "DELETE", JOB, ANA, 403, CODE_MESSAGE),
    Case("job removal", "known", "DELETE", JOB, ADMIN, 200, {}),
    Case("job removal", "gone", "DELETE", JOB, ADMIN, 404, CODE_MESSAGE),
    Case("comparison", "two versions", "GET", COMPARE + "?from_version=1&to_version=2", ADMIN, 200, COMPARISON),
    Case("comparison", "one missing", "GET", COMPARE + "?from_version=1", ADMIN, 400, ERROR),
    Case("comparison", "no integer", "GET", COMPARE + "?from_version=1.5&to_version=2", ADMIN, 400, ERROR),
    Case("comparison", "unknown version", "GET", COMPARE + "?from_version=1&to_version=999", ADMIN, 404, ERROR),
    Case("comparison", "unknown service", "GET", COMPARE.replace("{service_id}", UNKNOWN_UUID) + "?from_version=1&to_version=2", ADMIN, 404, ERROR),
    Case("comparison", "no token", "GET", COMPARE, None, 401, ERROR),
    Case("comparison", "a citizen", "GET", COMPARE, ANA, 403, ERROR),
    Case("migration history", "first page", "GET", HISTORY, ADMIN, 200, HISTORY_BODY),
    Case("migration history", "odd paging", "GET", HISTORY + "?page=x&per_page=1000", ADMIN, 200, HISTORY_BODY),
    Case("migration history", "no token", "GET", HISTORY, None, 401, ERROR),
    Case("migration history", "a citizen", "GET", HISTORY, ANA, 403, ERROR),
    Case("migration rollback", "broken body", "POST", ROLLBACK, ADMIN, 400, ERROR, content=b'{"migration_id":'),
    Case("migration rollback", "too long reason", "POST", ROLLBACK, ADMIN, 400, ERROR, body={"reason": "x" * 2001}),
    Case("migration rollback", "unknown id", "POST", ROLLBACK, ADMIN, 404, ERROR, body={"migration_id": UNKNOWN_UUID}),
    Case("migration rollback", "no token", "POST", ROLLBACK, None, 401, ERROR),
    Case("migration rollback", "a citizen", "POST", ROLLBACK, ANA, 403, ERROR),
    Case("migration rollback", "the last migration", "POST", ROLLBACK, ADMIN, 200, MIGRATION, body={"migration_id": "{migration_id}", "reason": "teste"}),
    Case("migration rollback", "once more", "POST", ROLLBACK, ADMIN, 409, ERROR, body={"migration_id": "{migration_id}"}),
    Case("action", "description changed", "PUT", ACTION, ADMIN, 200, ACTION_BODY, body={"description": "Outra descrição"}),
    Case("action", "nothing sent", "PUT", ACTION, ADMIN, 200, ACTION_BODY, body={}),
    Case("action", "name in use", "PUT", ACTION, ADMIN, 400, DETAIL, body={"name": "platform:public"}),
    Case("action", "no token", "PUT", ACTION, None, 401, DETAIL, body={}),
    Case("action", "no administrator", "PUT", ACTION, NO_RIGHTS, 403, DETAIL, body={}),
    Case("action", "a machine", "PUT", ACTION, PORTAL, 403, DETAIL, body={}),
    Case("action", "unknown", "PUT", "/access/api/v1/actions/999999", ADMIN, 404, DETAIL, body={}),
    Case("action", "no integer", "PUT", "/access/api/v1/actions/abc", ADMIN, 422, ITEMS, body={}),
    Case("action", "two faults", "PUT", ACTION, ADMIN, 422, ITEMS, body={"name": "nocolon", "description": 5}),
    Case("action", "no body", "PUT", ACTION, ADMIN, 422, ITEMS),
    Case("risk", "an active notification", "GET", RISK, ANA, 200, RISK_BODY | {"notificacao_ativa": NOTIFICATION}),
    Case("risk", "a quiet unit", "GET", RISK.replace("active", "quiet"), ANA, 200, RISK_BODY),
    Case("risk", "the portal's client", "GET", RISK, HEALTH_PANEL, 200, RISK_BODY),
    Case("risk", "a client without the scope", "GET", RISK, AGENTS, 403, DETAIL),
    Case("risk", "no token", "GET", RISK, None, 401, DETAIL),
    Case("risk", "malformed code", "GET", "/health-units/unidade/123456/risco", ANA, 422, ITEMS),
    Case("risk", "unknown unit", "GET", "/health-units/unidade/9999999/risco", ANA, 404, DETAIL),
    Case("risk", "one trailing slash", "GET", RISK + "/", ANA, 200, RISK_BODY),
    Case("token check", "a citizen", "GET", "/agent/api/v1/auth", ANA, 200, {"status": OneOf("ok")}),
    Case("token check", "a machine", "GET", "/agent/api/v1/auth", PORTAL, 200, {"status": OneOf("ok")}),
    Case("token check", "no token", "GET", "/agent/api/v1/auth", None, 401, DETAIL),
    Case("configuration", "the agents' client", "GET", CONFIG, AGENTS, 200, CONFIG_BODY),
    Case("configuration", "a citizen", "GET", CONFIG, ANA, 403, DETAIL),
    Case("configuration", "no token", "GET", CONFIG, None, 401, DETAIL),
    Case("configuration", "unknown", "GET", CONFIG.replace("{agent_config_id}", "abc"), AGENTS, 404, DETAIL),
    Case("configuration", "malformed", "GET", CONFIG.replace("{agent_config_id}", "a%20b"), AGENTS, 422, ITEMS),
    Case("examples", "a data set", "GET", EXAMPLES + "?dataset_id={dataset_id}", AGENTS, 200, DATASET_BODY),
    Case("examples", "no data set named", "GET", EXAMPLES, AGENTS, 422, ITEMS_WITH_INPUT),
    Case("examples", "out of range", "GET", EXAMPLES + "?dataset_id={dataset_id}&first=0", AGENTS, 422, ITEMS_WITH_INPUT),
    Case("examples", "unknown data set", "GET", EXAMPLES + "?dataset_id=unknown", AGENTS, 404, DETAIL),
    Case("examples", "no token", "GET", EXAMPLES, None, 401, DETAIL),
    Case("examples", "a citizen", "GET", EXAMPLES + "?dataset_id={dataset_id}", ANA, 403, DETAIL),
    Case("description", "root", "GET", "/agent-docs/", None, 200, MapOf(ANYTHING)),
    Case("description", "swagger", "GET", "/agent-docs/swagger.json", None, 200, MapOf(ANYTHING)),
    Case("description", "with a token", "GET", "/agent-docs/swagger.json", ANA, 200, MapOf(ANYTHING)),
]  # fmt: skip
