-- Who declared a value and who last confirmed it are two facts (registry document, 4.2). `at` is when a field was set;
-- of the citizen's own word, `confirmed_at` is when the CRM last said the same, and `confirmed_value` how it said it.
ALTER TABLE registry.register ADD COLUMN confirmed_value jsonb, ADD COLUMN confirmed_at timestamptz;
CREATE INDEX register_confirmations ON registry.register USING brin (confirmed_at) WITH (autosummarize = on);

-- A value as it is compared with another of the same field: what is empty is null, an e-mail has no case, of a phone
-- only the digits count.
CREATE FUNCTION registry.compared(field text, value jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN value IN ('""', '[]') THEN 'null'::jsonb
    WHEN jsonb_typeof(value) = 'string' AND field = 'email' THEN to_jsonb(lower(btrim(value #>> '{}')))
    WHEN jsonb_typeof(value) = 'string' AND field LIKE 'telefone%'
        THEN to_jsonb(regexp_replace(value #>> '{}', '[^0-9]', '', 'g'))
    ELSE value
END;

-- Of two words of the CRM the later stays; of equal times null over any value, then the greater text.
CREATE FUNCTION registry.is_later_word(at timestamptz, value jsonb, than_at timestamptz, than_value jsonb)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN than_at IS NULL
    OR (at, value = 'null', value::text COLLATE "C") > (than_at, than_value = 'null', than_value::text COLLATE "C");

-- As in 0012, and later than what the CRM has confirmed, too.
CREATE OR REPLACE FUNCTION registry.hold_mirror(person text, registers text[], expected bigint)
RETURNS TABLE (moment timestamptz, job bigint, lost_job bigint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    head   registry.mirror_head;
    marked registry.outbox;
BEGIN
    INSERT INTO registry.mirror_head AS held (cpf, version) VALUES (person, 1)
    ON CONFLICT (cpf) DO UPDATE SET version = held.version + 1 WHERE held.version = coalesce(expected, held.version)
    RETURNING * INTO head;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Locked, because an operator who drops a dead job does not lock the mirror.
    SELECT * INTO marked FROM registry.outbox WHERE cpf = person FOR UPDATE;
    RETURN QUERY SELECT
        greatest(
            clock_timestamp(),
            head.anonymised_at + interval '1 microsecond',
            (SELECT max(greatest(at, confirmed_at)) FROM registry.register
             WHERE cpf = person AND field = ANY (registers)) + interval '1 microsecond'),
        CASE WHEN is_sent THEN marked.job END,
        CASE WHEN NOT is_sent THEN marked.job END
    FROM (SELECT NOT marked.given_up AND platform.job_is_queued(marked.job)) AS sending (is_sent);
END $$;

-- What e-mail a login last wrote into the CRM, as a digest: the CRM will tell it back. While `until` lies ahead the call
-- is under way, and no push of an e-mail of this person begins.
CREATE TABLE registry.login_write (
    cpf          text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    email_sha256 bytea NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    until        timestamptz NOT NULL
);
CREATE INDEX login_write_age ON registry.login_write (at);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.login_write TO balcao_app;
