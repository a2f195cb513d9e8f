-- The status and the e-mails of an application.

-- Return the status that callers see: while the job is frozen or closed, its state replaces the application's own
-- status. `show_application_status` in selection/applications/states.py does the same, and a test compares the two. A
-- withdrawn application stays withdrawn, and no list contains it.
CREATE OR REPLACE FUNCTION employability.shown_application_status(own text, job_status text, job_deleted_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN own = 'retirada' THEN own
    WHEN job_deleted_at IS NOT NULL THEN 'vaga_descontinuada'
    WHEN job_status IN ('vaga_congelada', 'vaga_descontinuada') THEN job_status
    ELSE own
END;

-- Return the payload of the job that sends an e-mail. It contains ids and no personal data.
CREATE OR REPLACE FUNCTION employability.email_payload(application uuid, kind text, event bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN convert_to(format('{"application":"%s","kind":"%s","event":%s}', application, kind, event), 'UTF8');
