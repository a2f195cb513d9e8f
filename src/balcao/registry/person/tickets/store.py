"""SQL of the service tickets."""

from collections.abc import Sequence
from typing import Any

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import affected
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf

_TOTALS = """
SELECT count(*) AS total_chamados,
       count(*) FILTER (WHERE status NOT IN ('Aberto', 'Em andamento')) AS total_fechados
FROM registry.ticket WHERE cpf = $1
"""


async def count(connection: Connection, cpf: Cpf) -> Row:
    row = await connection.fetchrow(_TOTALS, cpf.digits)
    assert row is not None  # an aggregate without GROUP BY
    return row


_PAGE = "SELECT * FROM registry.ticket WHERE cpf = $1 ORDER BY data_inicio DESC, id DESC LIMIT $2 OFFSET $3"


async def list_page(connection: Connection, cpf: Cpf, page: Page) -> Sequence[Row]:
    rows: Sequence[Row] = await connection.fetch(_PAGE, cpf.digits, page.limit, page.offset)
    return rows


# A ticket that says the same as before is not even locked; see the base record's statement for OFFSET.
_UPSERT = """
WITH parsed AS MATERIALIZED (
    SELECT offered FROM jsonb_populate_recordset(NULL::registry.ticket, $1::jsonb) AS offered
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
"""


async def upsert(connection: Connection, rows: Sequence[Any]) -> int:
    """Write the rows, one a citizen and id, as the owner of the table; return how many are new or other than before."""
    done = await connection.execute(_UPSERT, json_text(rows))
    return affected(done)


EXPORTS = Exports([Export("tickets", Rows("registry.ticket"))])
