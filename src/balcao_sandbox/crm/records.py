"""The sandbox CRM's records, stored in memory. Every change is also appended to a file, so that it survives a restart.

No function here awaits anything, so every change is atomic within the event loop. Concurrent upserts therefore cannot
create two records.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from balcao_sandbox.crm.objects import ACCOUNT, CASE, ENTITIES, Entity
from balcao_sandbox.crm.refusals import Refused, make_not_found
from balcao_sandbox.crm.soql import Condition, Either, Query

Record = dict[str, Any]
Row = tuple[Entity, Record]


class Records:
    """All records of the CRM. `demo` returns the initial records for a new sandbox."""

    def __init__(self, path: Path, demo: Callable[[], Iterable[Row]]) -> None:
        self._path = path
        self._demo = demo
        self._last_moment = 0
        self._last_number = 0
        self._tables: dict[str, dict[str, Record]] = {}
        if path.exists():
            self._replay()
        else:
            self.reset()

    def reset(self) -> None:
        """Reset the records to the initial demo records."""
        self._tables = {name: {} for name in ENTITIES}
        for entity, record in self._demo():
            self._put(entity, self._make_record(entity, record))
        self._rewrite_file()

    def all(self, entity: Entity) -> list[Record]:
        """Return every record of an entity."""
        return list(self._tables[entity.name].values())

    def get(self, entity: Entity, record_id: str) -> Record:
        """Return the record with this id. Raises Refused (NOT_FOUND) if there is no such record."""
        record = self._tables[entity.name].get(record_id)
        if record is None:
            raise make_not_found()
        return record

    def find(self, entity: Entity, field: str, value: str | bool) -> list[Record]:
        """Return the records in which the field has this value."""
        return [record for record in self.all(entity) if record[field] == value]

    def select(self, query: Query) -> list[Record]:
        """Return the matching records with all their fields.

        Raises Refused for an unknown object type or field.
        """
        entity = ENTITIES.get(query.entity)
        if entity is None:
            raise Refused(400, "INVALID_TYPE", f"sObject type '{query.entity}' is not supported")
        for name in (*query.fields, *_iterate_fields(query.conditions)):
            entity.check_field(name)
        found = [record for record in self.all(entity) if all(_matches(record, c) for c in query.conditions)]
        for field, descending in reversed(query.order):
            name = entity.check_field(field)
            found.sort(key=lambda record: (record[name] is not None, record[name]), reverse=descending)
        return found[query.offset :][: query.limit]

    def insert(self, entity: Entity, written: Mapping[str, Any]) -> Record:
        """Insert a record.

        Raises Refused for an invalid field, a duplicate external key or an unknown account.
        """
        values = entity.clean(written, new=True)
        key = values.get(entity.external or "")
        if key and self.find(entity, str(entity.external), key):
            raise Refused(400, "DUPLICATE_VALUE", "duplicate value found", [str(entity.external)])
        self._check_account(entity, values)
        return self._store(entity, self._make_record(entity, values))

    def update(self, entity: Entity, record: Record, written: Mapping[str, Any]) -> Record:
        """Update a record. Raises the same errors as `insert`."""
        values = entity.clean(written, new=False)
        key = values.get(entity.external or "")
        if key and any(other is not record for other in self.find(entity, str(entity.external), key)):
            raise Refused(400, "DUPLICATE_VALUE", "duplicate value found", [str(entity.external)])
        self._check_account(entity, values)
        return self.rewrite(entity, record, values)

    def _check_account(self, entity: Entity, values: Mapping[str, Any]) -> None:
        name = entity.account
        if name is not None and name in values and values[name] not in self._tables[ACCOUNT.name]:
            raise Refused(400, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", [name])

    def rewrite(self, entity: Entity, record: Record, values: Mapping[str, Any]) -> Record:
        """Set a record's fields without validation, including fields that only the CRM may write."""
        record |= values
        record["LastModifiedDate"] = self.now()
        return self._store(entity, record)

    def remove(self, entity: Entity, record: Record) -> None:
        """Remove a record."""
        del self._tables[entity.name][record["Id"]]
        self._append({"entity": entity.name, "id": record["Id"]})

    def _make_record(self, entity: Entity, values: Mapping[str, Any]) -> Record:
        moment = self.now()
        self._last_number += 1
        given = {
            "Id": f"{entity.prefix}{self._last_number:015d}",
            "Name": f"{self._last_number:08d}",
            "CreatedDate": moment,
            "LastModifiedDate": moment,
        }
        if entity is CASE:
            given["CaseNumber"] = f"PA-{moment[:4]}-{self._last_number:08d}"
        return {**dict.fromkeys(entity.fields), **given, **entity.defaults, **values}

    def _store(self, entity: Entity, record: Record) -> Record:
        self._put(entity, record)
        self._append({"entity": entity.name, "record": record})
        return record

    def _put(self, entity: Entity, record: Record) -> None:
        if entity is ACCOUNT:
            record["Name"] = " ".join(filter(None, (record["FirstName"], record["LastName"])))
        self._tables[entity.name][record["Id"]] = record

    def now(self) -> str:
        """Return the current time, made greater than the last returned time.

        The registry orders echoes by this time, so no two echoes may have the same time.
        """
        self._last_moment = max(self._last_moment + 1, int(datetime.now(UTC).timestamp() * 1_000))
        moment = datetime.fromtimestamp(self._last_moment / 1_000, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "+0000")

    def _append(self, line: Mapping[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_format_line(line))

    def _rewrite_file(self) -> None:
        """Replace the file atomically.

        If the process is killed while it writes, either the old or the new file exists.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        rows = ({"entity": name, "record": record} for name, table in self._tables.items() for record in table.values())
        fresh.touch(0o600)
        fresh.write_text("".join(map(_format_line, rows)), "utf-8")
        fresh.replace(self._path)

    def _replay(self) -> None:
        self._tables = {name: {} for name in ENTITIES}
        whole, _, _ = self._path.read_text("utf-8").rpartition("\n")  # after a kill, the last line may be incomplete
        for line in map(json.loads, filter(None, whole.split("\n"))):
            table = self._tables[line["entity"]]
            if "record" in line:
                # In a file from an earlier release, fields that were added later are missing.
                table[line["record"]["Id"]] = dict.fromkeys(ENTITIES[line["entity"]].fields) | line["record"]
            else:
                del table[line["id"]]
        self._last_number = max((int(key[3:]) for table in self._tables.values() for key in table), default=0)
        self._rewrite_file()


def _format_line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False) + "\n"


def _iterate_fields(conditions: Iterable[Condition | Either]) -> Iterator[str]:
    for condition in conditions:
        if isinstance(condition, Condition):
            yield condition.field
        else:
            for group in condition.groups:
                yield from _iterate_fields(group)


def _matches(record: Record, condition: Condition | Either) -> bool:
    if isinstance(condition, Either):
        return any(all(_matches(record, part) for part in group) for group in condition.groups)
    value, wanted = record[condition.field], condition.value
    if condition.operator == "IN":
        return value in wanted
    if isinstance(wanted, datetime):
        try:
            value = datetime.fromisoformat(str(value))
        except ValueError:
            return False
    if condition.operator == "=":
        return bool(value == wanted)
    return value is not None and bool(value > wanted or (condition.operator == ">=" and value == wanted))
