-- The status of a job, searches in texts, and steps that are removed from a job.

-- Return the status that callers see: an active job whose deadline has passed is expired. `show_job_status`
-- in hiring/listings/states.py does the same, and a test compares the two.
CREATE OR REPLACE FUNCTION employability.shown_status(status text, data_limite timestamptz, instant timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'publicado_ativo' AND data_limite <= instant THEN 'publicado_expirado' ELSE status END;

-- Return the LIKE pattern of the folded texts that contain these words. The special characters of a pattern match
-- themselves.
CREATE OR REPLACE FUNCTION employability.containing(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(employability.folded(words), '([\\%_])', '\\\1', 'g') || '%';
GRANT EXECUTE ON FUNCTION employability.containing TO balcao_app;

-- Move the candidates of steps that are about to be removed to the nearest earlier step in `remaining`, or to no step.
-- An edit of the job calls this while it holds the job's lock, before it changes the steps.
CREATE OR REPLACE FUNCTION employability.leave_steps(job uuid, remaining uuid[]) RETURNS void LANGUAGE sql AS $$
    WITH leaving AS (
        SELECT application.id, application.status, application.id_etapa_atual AS before, (
            SELECT earlier.id FROM employability.job_step AS earlier
            WHERE earlier.id_vaga = job AND earlier.ordem < step.ordem AND earlier.id = ANY (remaining)
            ORDER BY earlier.ordem DESC LIMIT 1
        ) AS after
        FROM employability.job_step AS step
        JOIN employability.application ON application.id_etapa_atual = step.id
        WHERE step.id_vaga = job AND step.id <> ALL (remaining)
    ), moved AS (
        UPDATE employability.application SET
            id_etapa_atual = leaving.after, row_version = row_version + 1, updated_at = clock_timestamp()
        FROM leaving WHERE application.id = leaving.id
        RETURNING application.id, application.status, leaving.before, leaving.after
    )
    INSERT INTO employability.application_event (id_candidatura, evento, de, para, id_etapa_de, id_etapa_para)
    SELECT id, 'step-removed', status, status, before, after FROM moved
$$;
