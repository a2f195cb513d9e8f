"""Numbers that no other test uses, and the stored data about their verification."""

import json

from tests.registry.declared_values import Citizen
from tests.support.fixture_types import Sql

HELD = "SELECT * FROM registry.phone_verification WHERE cpf = $1"
AGE = """UPDATE registry.phone_verification SET sent_at = sent_at - make_interval(secs => $2),
         expires_at = expires_at - make_interval(secs => $2), used_at = used_at - make_interval(secs => $2)
         WHERE cpf = $1"""
AGE_COUNTS = "UPDATE registry.phone_code_sent SET sent_at = sent_at - make_interval(secs => $1)"
FORGET_COUNTS = "DELETE FROM registry.phone_code_sent"
_subscribers = iter(range(10_000_000, 99_999_999))


def mobile(**parts: str) -> dict[str, str]:
    """Return a Brazilian number that no other test uses."""
    return {"ddi": "55", "ddd": "21", "valor": f"9{next(_subscribers)}"} | parts


def digits(phone: dict[str, str]) -> str:
    return phone["ddi"].lstrip("+") + phone.get("ddd", "") + phone["valor"]


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def registers(sql: Sql, citizen: Citizen) -> dict[str, str]:
    rows = sql("SELECT field, value::text FROM registry.register WHERE cpf = $1", citizen.cpf)
    return {row["field"]: json.loads(row["value"]) for row in rows}
