-- The triggers that keep `application_tally` equal to the applications (rules: employability 2.7, 3.3).

-- Return the status that all applications of a job show instead of their own, or null if they show their own.
CREATE OR REPLACE FUNCTION employability.overlay(job_status text, job_deleted_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(employability.shown_application_status('aprovada', job_status, job_deleted_at), 'aprovada');

-- A new job gets an empty tally. A statement trigger, because an import inserts hundreds of jobs in one statement.
CREATE OR REPLACE FUNCTION employability.add_tallies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO employability.application_tally (id_vaga, department, overlay)
    SELECT id, id_orgao_parceiro, employability.overlay(status, deleted_at) FROM added;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_added AFTER INSERT ON employability.job
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.add_tallies();

-- The tally repeats the department and the state of its job. Every save of a job sets these columns, so the trigger
-- runs only if a value has changed.
CREATE OR REPLACE FUNCTION employability.describe_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO employability.application_tally AS tally (id_vaga, department, overlay)
    VALUES (NEW.id, NEW.id_orgao_parceiro, employability.overlay(NEW.status, NEW.deleted_at))
    ON CONFLICT (id_vaga) DO UPDATE SET department = excluded.department, overlay = excluded.overlay
    WHERE (tally.department, tally.overlay) IS DISTINCT FROM (excluded.department, excluded.overlay);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER describe_tally AFTER UPDATE OF id_orgao_parceiro, status, deleted_at ON employability.job
FOR EACH ROW WHEN ((OLD.id_orgao_parceiro, OLD.status, OLD.deleted_at)
    IS DISTINCT FROM (NEW.id_orgao_parceiro, NEW.status, NEW.deleted_at))
EXECUTE FUNCTION employability.describe_tally();

-- Add the numbers to the tallies of the jobs. A number can be negative.
--
-- Locks: a tally's row stays locked until the commit, so applications for the same job commit one after the other.
-- `locked` takes the locks of several jobs in the order of their ids, so that two statements never deadlock.
CREATE OR REPLACE FUNCTION employability.add_to_tallies(jobs uuid[], statuses text[], numbers bigint[])
RETURNS void LANGUAGE sql AS $$
    WITH locked AS MATERIALIZED (
        SELECT id_vaga FROM employability.application_tally WHERE id_vaga = ANY (jobs)
        ORDER BY id_vaga FOR NO KEY UPDATE
    ), change AS (
        SELECT id_vaga,
            coalesce(sum(number) FILTER (WHERE status = 'candidatura_enviada'), 0) AS candidatura_enviada,
            coalesce(sum(number) FILTER (WHERE status = 'aprovada'), 0) AS aprovada,
            coalesce(sum(number) FILTER (WHERE status = 'reprovada'), 0) AS reprovada,
            coalesce(sum(number) FILTER (WHERE status = 'vaga_congelada'), 0) AS vaga_congelada,
            coalesce(sum(number) FILTER (WHERE status = 'vaga_descontinuada'), 0) AS vaga_descontinuada
        FROM unnest(jobs, statuses, numbers) AS change (id_vaga, status, number)
        GROUP BY id_vaga
    )
    UPDATE employability.application_tally AS tally SET
        candidatura_enviada = tally.candidatura_enviada + change.candidatura_enviada,
        aprovada = tally.aprovada + change.aprovada,
        reprovada = tally.reprovada + change.reprovada,
        vaga_congelada = tally.vaga_congelada + change.vaga_congelada,
        vaga_descontinuada = tally.vaga_descontinuada + change.vaga_descontinuada
    FROM locked JOIN change USING (id_vaga)
    WHERE tally.id_vaga = locked.id_vaga
$$;

-- Count the applications of a statement: added, removed, or moved from one status to another. Withdrawn applications
-- are not counted.
CREATE OR REPLACE FUNCTION employability.tally_added_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.add_to_tallies(array_agg(id_vaga), array_agg(status), array_agg(number))
    FROM (
        SELECT id_vaga, status, count(*) AS number FROM added WHERE status <> 'retirada' GROUP BY 1, 2
    ) AS change
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_added AFTER INSERT ON employability.application
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_applications();

CREATE OR REPLACE FUNCTION employability.tally_removed_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.add_to_tallies(array_agg(id_vaga), array_agg(status), array_agg(number))
    FROM (
        SELECT id_vaga, status, -count(*) AS number FROM removed WHERE status <> 'retirada' GROUP BY 1, 2
    ) AS change
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_removed AFTER DELETE ON employability.application
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_applications();

CREATE OR REPLACE FUNCTION employability.tally_changed_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.add_to_tallies(array_agg(id_vaga), array_agg(status), array_agg(number))
    FROM (
        SELECT id_vaga, status, sum(number)::bigint AS number FROM (
            SELECT id_vaga, status, 1 AS number FROM added UNION ALL SELECT id_vaga, status, -1 FROM removed
        ) AS each
        WHERE status <> 'retirada' GROUP BY 1, 2 HAVING sum(number) <> 0
    ) AS change
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_changed AFTER UPDATE ON employability.application
REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_changed_applications();
