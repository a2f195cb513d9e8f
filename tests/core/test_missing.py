"""The explanation that a caller without the required right gets (rules: access 4.1)."""

import pytest

from balcao.core.access.membership_index import Membership
from balcao.core.access.missing import describe_missing, describe_refusal
from balcao.core.access.rules import MACHINE, Rule, action, authenticated, client, own, own_only, scope
from balcao.core.access.snapshot import Action, Role
from tests.core.test_snapshot_rights import ANA, BRUNO, make_caller, make_snapshot

ROLES = [
    Role(1, "admin", True, frozenset()),
    *(Role(10 + number, f"papel:{number}", False, frozenset({"visits:read"})) for number in range(5)),
    Role(20, "outro", False, frozenset({"visits:write"})),
]
SNAPSHOT = make_snapshot(
    actions={1: Action(1, "visits:read", "visitas:ler"), 2: Action(2, "visits:drop", "visitas:apagar")},
    roles={role.id: role for role in ROLES},
    people={BRUNO.digits: Membership((), (20,))},
)
CITIZEN, STAFF = make_caller(ANA), make_caller(BRUNO)


def test_the_missing_action_is_named_as_it_is_called_now() -> None:
    text = describe_refusal(SNAPSHOT, action("visits:read"), "visits:read", CITIZEN)
    assert text == "Sem permissão para esta operação: falta a ação `visitas:ler`."


def test_the_action_is_the_one_that_the_operation_is_bound_to() -> None:
    assert "`visitas:apagar`" in describe_refusal(SNAPSHOT, action("visits:read"), "visits:drop", CITIZEN)


def test_staff_are_told_which_roles_give_it_and_who_grants_them() -> None:
    assert describe_refusal(SNAPSHOT, action("visits:read"), "visits:read", STAFF) == (
        "Sem permissão para esta operação: falta a ação `visitas:ler`. Papéis que a dão: `papel:0`, `papel:1`, "
        "`papel:2` e mais 2. Quem administra os acessos pode concedê-la."
    )
    text = describe_refusal(SNAPSHOT, action("visits:drop"), "visits:drop", STAFF)
    assert text.endswith("Nenhum papel a dá ainda. Quem administra os acessos pode concedê-la.")


def test_who_has_no_role_learns_nothing_of_the_citys_roles() -> None:
    assert "papel" not in describe_missing(SNAPSHOT, CITIZEN, "visits:read", "visits:drop")


def test_where_the_person_alone_may_too_that_is_said() -> None:
    text = describe_refusal(SNAPSHOT, own("visits:read"), "visits:read", CITIZEN)
    assert "só a própria pessoa, ou quem tem a ação, pode fazer isto" in text


@pytest.mark.parametrize(
    ("rule", "bound", "told"),
    [
        (own_only(), MACHINE, "o CPF do caminho não é o do seu token"),
        (scope("sms:read"), MACHINE, "falta o escopo `sms:read`"),
        (
            authenticated() | scope("sms:read", "sme:read"),
            "platform:authenticated",
            "o escopo `sms:read` ou `sme:read`",
        ),
        (client("CRM_WEBHOOK_CLIENTS"), MACHINE, "dos sistemas que a configuração da plataforma nomeia"),
    ],
)
def test_without_an_action_the_guard_is_told(rule: Rule, bound: str, told: str) -> None:
    assert told in describe_refusal(SNAPSHOT, rule, bound, CITIZEN)
