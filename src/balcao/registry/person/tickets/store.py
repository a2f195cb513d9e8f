"""SQL for service tickets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.tickets.schemas import TicketRow


class TicketTotals(NamedTuple):
    """The number of a citizen's tickets, of closed tickets, and of the tickets that match the list's filter."""

    total_chamados: int
    total_fechados: int
    matching: int


# Requests that the citizen made on this platform are listed as tickets too. An imported ticket with the same protocol
# as a request is the same case. It is left out, because the request is newer than the import (rules: registry 4.20).
_MERGED = """
SELECT cpf, id, id_chamado, categoria, tipo, subtipo, status, descricao, endereco, nome_unidade_organizacional,
       origem_ocorrencia, data_inicio, data_alvo_finalizacao, data_fim, indicador, false AS aguarda_resposta
FROM registry.ticket
WHERE cpf = :cpf AND NOT EXISTS (
    SELECT FROM registry.request AS own WHERE own.cpf = :cpf AND own.protocol = ticket.id_chamado)
UNION ALL
SELECT request.cpf, number, protocol, kind.definition ->> 'category', kind.definition ->> 'name', NULL,
       CASE state WHEN 'done' THEN 'Fechado com solução' WHEN 'refused' THEN 'Fechado sem solução'
            WHEN 'in_progress' THEN 'Em andamento' WHEN 'needs_information' THEN 'Em andamento' ELSE 'Aberto' END,
       description, place,
       (SELECT nome_ua FROM registry.department WHERE cd_ua = departments[1]),
       channel, request.created_at, deadline, closed_at, true, state = 'needs_information'
FROM registry.request
JOIN registry.request_type_version AS kind ON kind.type = request.type AND kind.version = request.version
WHERE request.cpf = :cpf
"""
_MATCHES = "(:waits::boolean IS NULL OR aguarda_resposta = :waits)"


@lookup(f"""
SELECT count(*) AS total_chamados,
       count(*) FILTER (WHERE status NOT IN ('Aberto', 'Em andamento')) AS total_fechados,
       count(*) FILTER (WHERE {_MATCHES}) AS matching
FROM ({_MERGED}) AS merged
""")
async def count_tickets(source: Source, cpf: Cpf, waits: bool | None) -> TicketTotals:
    """Count a citizen's tickets. `waits` selects those that wait for the citizen's answer, or those that do not."""


@lookup(f"""
SELECT * FROM ({_MERGED}) AS merged WHERE {_MATCHES}
ORDER BY data_inicio DESC, id DESC LIMIT :limit OFFSET :offset
""")
async def select_tickets(source: Source, cpf: Cpf, waits: bool | None, page: Page) -> list[dict[str, Any]]: ...


# An unchanged ticket is neither locked nor written. See `upsert_base_records` for the reason for OFFSET 0.
@statement("""
WITH parsed AS MATERIALIZED (
    SELECT offered FROM jsonb_populate_recordset(NULL::registry.ticket, :rows::jsonb) AS offered
)
INSERT INTO registry.ticket
SELECT (offered).* FROM parsed LEFT JOIN LATERAL (
    SELECT ticket AS known FROM registry.ticket WHERE cpf = (offered).cpf AND id = (offered).id OFFSET 0
) AS held ON true
WHERE known IS DISTINCT FROM offered
ON CONFLICT (cpf, id) DO UPDATE SET
    id_chamado = excluded.id_chamado, categoria = excluded.categoria, tipo = excluded.tipo, subtipo = excluded.subtipo,
    status = excluded.status, descricao = excluded.descricao, endereco = excluded.endereco,
    nome_unidade_organizacional = excluded.nome_unidade_organizacional, origem_ocorrencia = excluded.origem_ocorrencia,
    data_inicio = excluded.data_inicio, data_alvo_finalizacao = excluded.data_alvo_finalizacao,
    data_fim = excluded.data_fim, indicador = excluded.indicador
""")
async def upsert_tickets(connection: Connection, rows: Sequence[TicketRow]) -> int:
    """Store the rows, and return how many are new or changed. `rows` must not contain a ticket twice.

    Only the table's owner may do this.
    """


EXPORTS = Exports([Export("tickets", Rows("registry.ticket"))])
