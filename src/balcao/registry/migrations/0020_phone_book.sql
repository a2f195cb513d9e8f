-- Whom a telephone number reaches (registry document, 4.13). A row is either bound to a person or in quarantine; a number
-- without a row is free. `version` changes with every write: who has read a row writes it only if it is still the same.
CREATE TABLE registry.phone_book (
    number           text        PRIMARY KEY CHECK (number ~ '^\d{8,15}$'),
    cpf              text        CHECK (cpf ~ '^\d{11}$'),
    proof            text        CHECK (proof IN ('code', 'token')),
    channel          text        CHECK (channel ~ '^[a-z0-9_.-]{1,32}$'),
    opt_in           boolean     NOT NULL DEFAULT false,
    bound_at         timestamptz,
    quarantined_at   timestamptz,
    quarantine_until timestamptz,
    was_bound        boolean     NOT NULL DEFAULT false,
    version          uuid        NOT NULL,
    CHECK ((cpf IS NULL) <> (quarantine_until IS NULL)),
    CHECK ((cpf IS NULL) = (proof IS NULL) AND (cpf IS NULL) = (bound_at IS NULL)),
    CHECK ((quarantined_at IS NULL) = (quarantine_until IS NULL)),
    CHECK (cpf IS NOT NULL OR (NOT opt_in AND channel IS NULL))
);
CREATE INDEX phone_book_of_person ON registry.phone_book (cpf) WHERE cpf IS NOT NULL;
CREATE INDEX phone_book_quarantine ON registry.phone_book (quarantine_until, number) WHERE quarantine_until IS NOT NULL;

-- What was said over a number, as proof: append-only. The number itself is here only as a keyed hash and its last digits.
CREATE TABLE registry.phone_book_entry (
    id          uuid        PRIMARY KEY,
    cpf         text        CHECK (cpf ~ '^\d{11}$'),
    number_hash bytea       NOT NULL,
    number      text        NOT NULL CHECK (number ~ '^\*+\d{4}$'),
    action      text        NOT NULL CHECK (action IN ('opt_in', 'opt_out', 'rejected', 'quarantined', 'released')),
    channel     text        CHECK (channel ~ '^[a-z0-9_.-]{1,32}$'),
    reason      text        CHECK (char_length(reason) BETWEEN 1 AND 500),
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor_kind  text        NOT NULL,
    azp         text        NOT NULL,
    request_id  text        NOT NULL
);
CREATE INDEX phone_book_entry_of_person ON registry.phone_book_entry (cpf, at) WHERE cpf IS NOT NULL;
CREATE INDEX phone_book_entry_age ON registry.phone_book_entry USING brin (at);

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.phone_book TO balcao_app;
GRANT SELECT, INSERT ON registry.phone_book_entry TO balcao_app;

-- As in 0015; and whoever proves a number by its code has it from that moment, whoever had it before: nobody else may be
-- shown for it any more. Consent is the person's, and does not pass on to another.
CREATE OR REPLACE FUNCTION registry.use_phone_verification(person text, verification uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    proven text;
BEGIN
    SELECT ddi || ddd || valor INTO proven FROM registry.phone_verification
    WHERE cpf = person AND id = verification AND used_at IS NULL AND expires_at > clock_timestamp() FOR UPDATE;
    IF proven IS NULL THEN
        RETURN false;
    END IF;
    UPDATE registry.phone_verification
    SET used_at = clock_timestamp(), ddi = NULL, ddd = NULL, valor = NULL, sealed_code = NULL
    WHERE cpf = person AND id = verification;
    INSERT INTO registry.phone_book AS held (number, cpf, proof, bound_at, version)
    VALUES (proven, person, 'code', clock_timestamp(), gen_random_uuid())
    ON CONFLICT (number) DO UPDATE SET
        cpf = excluded.cpf, proof = excluded.proof, version = excluded.version,
        opt_in = held.cpf IS NOT DISTINCT FROM excluded.cpf AND held.opt_in,
        channel = CASE WHEN held.cpf = excluded.cpf THEN held.channel END,
        bound_at = CASE WHEN held.cpf = excluded.cpf THEN held.bound_at ELSE excluded.bound_at END,
        quarantined_at = NULL, quarantine_until = NULL, was_bound = false;
    RETURN true;
END $$;
