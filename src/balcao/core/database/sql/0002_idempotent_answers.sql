-- The first answer to a repeatable POST, kept so that its repetition is answered alike. It may hold a person's data,
-- so it is found by the person too.
CREATE TABLE platform.idempotent_answer (
    caller  bytea       NOT NULL,
    key     text        NOT NULL CHECK (char_length(key) BETWEEN 1 AND 128),
    cpf     text        CHECK (cpf ~ '^\d{11}$'),
    request bytea       NOT NULL,
    answer  bytea       NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotent_answer_cpf ON platform.idempotent_answer (cpf);
CREATE INDEX idempotent_answer_age ON platform.idempotent_answer (made_at);

GRANT SELECT, INSERT, DELETE ON platform.idempotent_answer TO balcao_app;
