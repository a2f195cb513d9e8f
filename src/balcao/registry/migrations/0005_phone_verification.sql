-- A phone number that a citizen is to prove theirs by a code sent to it (registry document, 3.5 and 4.7).
-- One open per citizen. The code waits encrypted until it is sent; number and code go when it is used or has expired.
CREATE TABLE registry.phone_verification (
    cpf         text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    id          uuid        NOT NULL UNIQUE,
    ddi         text,
    ddd         text,
    valor       text,
    code_hash   bytea       NOT NULL,
    sealed_code text,
    key_number  int         NOT NULL,
    attempts    int         NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
    sent_at     timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    used_at     timestamptz,
    CHECK ((ddi IS NULL) = (ddd IS NULL) AND (ddi IS NULL) = (valor IS NULL))
);
CREATE INDEX phone_verification_expiry ON registry.phone_verification (expires_at);

-- How many codes went out lately: one row for the citizen and one for the number, both only as keyed hashes, so that
-- the limits outlive the verification without keeping either of them.
CREATE TABLE registry.phone_code_sent (
    counted bytea       NOT NULL,
    sent_at timestamptz NOT NULL
);
CREATE INDEX phone_code_sent_lately ON registry.phone_code_sent (counted, sent_at DESC);
CREATE INDEX phone_code_sent_age ON registry.phone_code_sent (sent_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.phone_verification TO balcao_app;
GRANT SELECT, INSERT, DELETE ON registry.phone_code_sent TO balcao_app;
