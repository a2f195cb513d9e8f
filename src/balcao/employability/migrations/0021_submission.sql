-- What an application needs of other features' tables within the one statement that stores it (rules: employability 4.3,
-- 5.1, 5.2).

-- Goes up with every save, so that an application is stored only with the resume as it was read.
ALTER TABLE employability.resume ADD COLUMN row_version bigint NOT NULL DEFAULT 1;

-- Locks the root of a resume until the transaction ends, makes it when there is none (version null), and says whether
-- it is as it was read. Retention keeps what somebody applied with.
CREATE FUNCTION employability.keep_resume(person text, version bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO employability.resume AS root (cpf) VALUES (person)
    ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp() WHERE root.row_version = version;
    RETURN FOUND;
END $$;

-- How often a person withdrew from a job, as it is once the root is locked: not as it was when the statement began.
CREATE FUNCTION employability.count_withdrawals(person text, job uuid) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM employability.application WHERE cpf = person AND id_vaga = job AND status = 'retirada');
END $$;

-- What the job of an e-mail carries: ids, and never a person's values.
CREATE FUNCTION employability.email_payload(application uuid, kind text, event bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN convert_to(format('{"application":"%s","kind":"%s","event":%s}', application, kind, event), 'UTF8');

-- The erasure of a person's data takes the free texts out of their history; nothing else in it ever changes.
GRANT UPDATE (motivo) ON employability.application_event TO balcao_app;
