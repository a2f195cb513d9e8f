-- The totals of lists that count very many rows, kept by triggers in the transaction of each change: no statement that
-- writes an application, a job, a resume or an acceptance can leave them out (rules: employability 2.7, 2.11).

-- The applications for a job by their own status, those that were withdrawn left out.
CREATE TABLE employability.application_tally (
    id_vaga             uuid PRIMARY KEY REFERENCES employability.job,
    -- The job's department, and what its state shows in the place of every own status; null for nothing.
    department          text,
    overlay             text,
    candidatura_enviada integer NOT NULL DEFAULT 0,
    aprovada            integer NOT NULL DEFAULT 0,
    reprovada           integer NOT NULL DEFAULT 0,
    vaga_congelada      integer NOT NULL DEFAULT 0,
    vaga_descontinuada  integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE FUNCTION employability.overlay(job_status text, job_deleted_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(employability.shown_application_status('aprovada', job_status, job_deleted_at), 'aprovada');

CREATE FUNCTION employability.describe_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO employability.application_tally AS tally (id_vaga, department, overlay)
    VALUES (NEW.id, NEW.id_orgao_parceiro, employability.overlay(NEW.status, NEW.deleted_at))
    ON CONFLICT (id_vaga) DO UPDATE SET department = excluded.department, overlay = excluded.overlay
    WHERE (tally.department, tally.overlay) IS DISTINCT FROM (excluded.department, excluded.overlay);
    RETURN NULL;
END $$;
CREATE TRIGGER describe_tally AFTER INSERT OR UPDATE OF id_orgao_parceiro, status, deleted_at ON employability.job
FOR EACH ROW EXECUTE FUNCTION employability.describe_tally();

-- A job's row is locked from here to the commit: whoever applies does this last. Of several jobs they are locked in one
-- order, so that two statements never wait for each other in a circle.
CREATE FUNCTION employability.add_to_tallies(jobs uuid[], statuses text[], numbers bigint[])
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

CREATE FUNCTION employability.tally_added_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.add_to_tallies(array_agg(id_vaga), array_agg(status), array_agg(number))
    FROM (
        SELECT id_vaga, status, count(*) AS number FROM added WHERE status <> 'retirada' GROUP BY 1, 2
    ) AS change
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE FUNCTION employability.tally_removed_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.add_to_tallies(array_agg(id_vaga), array_agg(status), array_agg(number))
    FROM (
        SELECT id_vaga, status, -count(*) AS number FROM removed WHERE status <> 'retirada' GROUP BY 1, 2
    ) AS change
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE FUNCTION employability.tally_changed_applications() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER tally_added AFTER INSERT ON employability.application
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_applications();
CREATE TRIGGER tally_removed AFTER DELETE ON employability.application
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_applications();
CREATE TRIGGER tally_changed AFTER UPDATE ON employability.application
REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_changed_applications();

-- People with a resume who accepted a version of the terms. A hundred rows for each version, so that people who accept
-- at the same time seldom wait for each other.
CREATE TABLE employability.bank_tally (
    version text,
    shard   text,
    number  integer NOT NULL,
    PRIMARY KEY (version, shard)
) WITH (fillfactor = 50);

-- Whoever gets a resume and accepts the terms at once is counted once: the second of the two waits, and sees the first.
CREATE FUNCTION employability.lock_bank_tally(people text[]) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('employability.bank_tally' || shard, 0))
    FROM (SELECT DISTINCT right(person, 2) AS shard FROM unnest(people) AS person ORDER BY 1) AS ordered
$$;
CREATE FUNCTION employability.add_to_bank_tally(versions text[], people text[], numbers integer[])
RETURNS void LANGUAGE sql AS $$
    INSERT INTO employability.bank_tally AS tally (version, shard, number)
    SELECT version, right(person, 2), sum(number)
    FROM unnest(versions, people, numbers) AS change (version, person, number)
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (version, shard) DO UPDATE SET number = tally.number + excluded.number
$$;

CREATE FUNCTION employability.tally_added_resumes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM added;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(1))
    FROM added JOIN employability.terms_acceptance USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE FUNCTION employability.tally_removed_resumes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM removed;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(-1))
    FROM removed JOIN employability.terms_acceptance USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_added AFTER INSERT ON employability.resume
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_resumes();
CREATE TRIGGER tally_removed AFTER DELETE ON employability.resume
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_resumes();

CREATE FUNCTION employability.tally_added_acceptances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM added;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(1))
    FROM added JOIN employability.resume USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE FUNCTION employability.tally_removed_acceptances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM removed;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(-1))
    FROM removed JOIN employability.resume USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_added AFTER INSERT ON employability.terms_acceptance
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_acceptances();
CREATE TRIGGER tally_removed AFTER DELETE ON employability.terms_acceptance
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_acceptances();
-- A newer version was accepted in the place of an older one.
CREATE TRIGGER tally_replaced AFTER UPDATE ON employability.terms_acceptance
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_acceptances();
CREATE TRIGGER tally_replacing AFTER UPDATE ON employability.terms_acceptance
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_acceptances();

-- What was there before.
INSERT INTO employability.application_tally
    (id_vaga, department, overlay, candidatura_enviada, aprovada, reprovada, vaga_congelada, vaga_descontinuada)
SELECT job.id, job.id_orgao_parceiro, employability.overlay(job.status, job.deleted_at),
    count(*) FILTER (WHERE application.status = 'candidatura_enviada'),
    count(*) FILTER (WHERE application.status = 'aprovada'),
    count(*) FILTER (WHERE application.status = 'reprovada'),
    count(*) FILTER (WHERE application.status = 'vaga_congelada'),
    count(*) FILTER (WHERE application.status = 'vaga_descontinuada')
FROM employability.job LEFT JOIN employability.application ON application.id_vaga = job.id
GROUP BY job.id;
INSERT INTO employability.bank_tally (version, shard, number)
SELECT version, right(cpf, 2), count(*)
FROM employability.terms_acceptance JOIN employability.resume USING (cpf) GROUP BY 1, 2;

-- They were counted from these.
DROP INDEX employability.application_count, employability.job_state;

GRANT SELECT, INSERT, UPDATE ON employability.application_tally, employability.bank_tally TO balcao_app;
