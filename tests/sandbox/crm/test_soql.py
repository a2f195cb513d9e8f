"""The query parser parses valid queries exactly, and rejects everything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao_sandbox.crm.refusals import Refused
from balcao_sandbox.crm.soql import Condition, Either, parse_query

KEYWORDS = {"SELECT", "FROM", "WHERE", "AND", "ORDER", "BY", "ASC", "DESC", "LIMIT", "OFFSET", "TRUE", "FALSE", "NULL"}
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True).filter(lambda name: name.upper() not in KEYWORDS)
literals = st.one_of(st.text().map(lambda text: (quote(text), text)), st.sampled_from([("true", True), ("NULL", None)]))


def quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@given(st.lists(names, min_size=1, max_size=4), names, st.lists(st.tuples(names, literals), max_size=3))
def test_a_query_is_read_as_it_was_written(
    fields: list[str], entity: str, conditions: list[tuple[str, tuple[str, object]]]
) -> None:
    where = " AND ".join(f"{name} = {written}" for name, (written, _) in conditions)
    query = parse_query(f"select {', '.join(fields)} FROM {entity}" + (f" where {where}" if where else ""))
    assert (query.fields, query.entity) == (tuple(fields), entity)
    assert query.conditions == tuple(Condition(name, value) for name, (_, value) in conditions)


@given(st.text(max_size=60))
def test_any_other_text_is_malformed_and_nothing_worse(text: str) -> None:
    with pytest.raises(Refused) as raised:
        parse_query("SELECT Id FROM Account WHERE " + text + " OR")
    assert raised.value.code == "MALFORMED_QUERY"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DELETE FROM Account",
        "SELECT * FROM Account",
        "SELECT COUNT() FROM Account",
        "SELECT Id FROM Account, Contact",
        "SELECT Id FROM Account WHERE CPF__c = '1' OR CPF__c = '2'",
        "SELECT Id FROM Account WHERE CPF__c LIKE '9%'",
        "SELECT Id FROM Account WHERE CPF__c != '9'",
        "SELECT Id FROM Account WHERE CPF__c = 9",
        'SELECT Id FROM Account WHERE CPF__c = "9"',
        "SELECT Id FROM Account WHERE CPF__c = '9' OR Name = 'x'--'",
        "SELECT Id FROM Account WHERE CPF__c = 'a\\x'",
        "SELECT Id FROM Account WHERE CPF__c = 'aberto",
        "SELECT Id FROM Account WHERE (CPF__c = '9'",
        "SELECT Id FROM Account WHERE CreatedDate >= '2026-01-01'",
        "SELECT Id FROM Account WHERE CreatedDate >= 2026-02-30T00:00:00Z",
        "SELECT Id FROM Account WHERE CreatedDate < 2026-02-03T00:00:00Z",
        "SELECT Id FROM Account ORDER BY Id, ",
        "SELECT Id FROM Account ORDER BY Id NULLS LAST",
        "SELECT Id FROM Account LIMIT -1",
        "SELECT Id FROM Account LIMIT 2 LIMIT 3",
        "SELECT Id FROM Account OFFSET 1 LIMIT 2",
        "SELECT Id FROM Account; SELECT Id FROM Account",
        "SELECT (SELECT Id FROM Contacts) FROM Account",
        "SELECT Id FROM Account WHERE Id = '" + "x" * 100_000 + "'",
    ],
)
def test_what_the_subset_does_not_have_is_malformed(text: str) -> None:
    with pytest.raises(Refused) as raised:
        parse_query(text)
    assert (raised.value.status, raised.value.code) == (400, "MALFORMED_QUERY")


def test_order_limit_and_offset_are_read() -> None:
    query = parse_query("SELECT Id FROM Account ORDER BY CreatedDate DESC LIMIT 2 OFFSET 4")
    assert (query.order, query.limit, query.offset) == ((("CreatedDate", True),), 2, 4)
    assert parse_query("SELECT Id FROM Account ORDER BY CreatedDate ASC").order == (("CreatedDate", False),)


def test_a_field_may_be_among_several_texts() -> None:
    [condition] = parse_query("SELECT Id FROM Account WHERE CPF__c IN ('a', 'b\\'c')").conditions
    assert isinstance(condition, Condition)
    assert (condition.field, condition.operator, condition.value) == ("CPF__c", "IN", ["a", "b'c"])
    for malformed in ("CPF__c IN ()", "CPF__c IN 'a'", "CPF__c IN (1)", "CPF__c IN ('a',)"):
        with pytest.raises(Refused):
            parse_query(f"SELECT Id FROM Account WHERE {malformed}")


def test_an_offset_beyond_two_thousand_is_refused_as_salesforce_does() -> None:
    assert parse_query("SELECT Id FROM Account OFFSET 2000").offset == 2_000
    with pytest.raises(Refused) as raised:
        parse_query("SELECT Id FROM Account LIMIT 50 OFFSET 2001")
    assert (raised.value.status, raised.value.code) == (400, "NUMBER_OUTSIDE_VALID_RANGE")


def test_conditions_may_be_alternatives_and_several_fields_may_order() -> None:
    query = parse_query(
        "SELECT Id FROM Account WHERE IsPersonAccount = true AND (LastModifiedDate > 2026-01-01T00:00:00Z OR "
        "(LastModifiedDate = 2026-01-01T00:00:00Z AND Id > '001x')) ORDER BY LastModifiedDate ASC, Id DESC"
    )
    assert query.order == (("LastModifiedDate", False), ("Id", True))
    person, either = query.conditions
    assert person == Condition("IsPersonAccount", True)
    assert isinstance(either, Either)
    [[later], [nested]] = either.groups
    assert isinstance(later, Condition)
    assert later.operator == ">"
    assert isinstance(nested, Either)
    [[same, beyond]] = nested.groups
    assert isinstance(same, Condition)
    assert isinstance(beyond, Condition)
    assert (same.operator, beyond.operator, beyond.value) == ("=", ">", "001x")
