-- As in 0021, and a resume that was there and was erased since is not as it was read (rules: employability 5.1).
CREATE OR REPLACE FUNCTION employability.keep_resume(person text, version bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF version IS NULL THEN
        INSERT INTO employability.resume (cpf) VALUES (person) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE employability.resume SET updated_at = clock_timestamp() WHERE cpf = person AND row_version = version;
    END IF;
    RETURN FOUND;
END $$;
