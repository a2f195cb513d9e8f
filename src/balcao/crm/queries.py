"""Build queries to the CRM, and check that a response contains only records of the requested people."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from balcao.core.logs import log
from balcao.core.telemetry import counter
from balcao.core.values.cpf import Cpf
from balcao.crm.failures import CrmAway
from balcao.crm.fields import Record

_misdirected = counter("balcao_crm_misdirected", "CRM responses with records of another person than the request named")


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and the people whose records it requests. `owner` is the CPF field to check.

    Omit `owner` only for queries that are not about given people. The response is then not checked against `people`,
    and the caller must verify to whom each record belongs.
    """

    text: str
    owner: str | None = None
    people: Collection[Cpf] = ()

    @classmethod
    def of_people(
        cls, entity: str, owner: str, people: Sequence[Cpf], fields: Iterable[str], also: str = "", rest: str = ""
    ) -> Self:
        """Return the query for these people's records.

        `also` is another condition, and `rest` contains ORDER BY and LIMIT.

        The CPF is always selected, because `read` checks it. Nothing is escaped: apart from the CPFs, which are valid,
        the caller must check every inserted value.
        """
        selected = ", ".join(sorted({*fields, owner}))
        listed = ", ".join(f"'{cpf.digits}'" for cpf in people)
        whose = f"{owner} = {listed}" if len(people) == 1 else f"{owner} IN ({listed})"
        text = f"SELECT {selected} FROM {entity} WHERE {whose}{also and f' AND {also}'} {rest}"  # noqa: S608
        return cls(text.rstrip(), owner, frozenset(people))

    def read(self, answer: Any) -> list[Record]:
        """Return the records in a response, with the CPF as eleven digits.

        Raises CrmAway if the response is not a complete list of records. Raises CrmAway also if one record does not
        have the CPF of a requested person, because the other records are then not trustworthy either.
        """
        records = answer.get("records") if isinstance(answer, dict) else None
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise CrmAway
        if answer.get("done") is False:
            raise CrmAway("ANSWER_INCOMPLETE")
        return records if self.owner is None else [self._claim(self.owner, record) for record in records]

    def _claim(self, owner: str, record: Record) -> Record:
        text = record.get(owner)
        cpf = Cpf.parse_path(text) if isinstance(text, str) else None
        if cpf is None or cpf not in self.people:
            raise make_misdirected()
        return {**record, owner: cpf.digits}


def make_misdirected() -> CrmAway:
    """Return the exception for a response that does not belong to the request.

    The response is counted in a metric, and logged without its values.
    """
    _misdirected.inc()
    log.warning("crm.misdirected")
    return CrmAway("ANSWER_MISDIRECTED")
