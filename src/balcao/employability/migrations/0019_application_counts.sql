-- Lists of applications count by shown status, at the widest all that there are: from narrow indexes, in which rows of
-- the same job and status, or of the same day, share an entry (rules: employability 2.7).
CREATE INDEX application_count ON employability.application (id_vaga, status) WHERE status <> 'retirada';
CREATE INDEX application_block_day ON employability.application_block (dia);
CREATE INDEX job_state ON employability.job (id) INCLUDE (status, deleted_at);

-- Newest first by shown status: without reading a row that is not shown.
DROP INDEX employability.application_newest;
CREATE INDEX application_newest ON employability.application (created_at DESC, id) INCLUDE (id_vaga, status)
    WHERE status <> 'retirada';
CREATE INDEX application_by_status ON employability.application (status, created_at DESC, id) INCLUDE (id_vaga)
    WHERE status <> 'retirada';
