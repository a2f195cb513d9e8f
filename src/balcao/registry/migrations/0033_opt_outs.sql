-- Senders that are told of opt-outs by a signed call, and what they are told (rules: registry 4.19).
CREATE TABLE registry.opt_out_webhook (
    id               uuid PRIMARY KEY,
    url              text NOT NULL CHECK (char_length(url) <= 500),
    description      text CHECK (char_length(description) <= 200),
    categories       text[] NOT NULL,
    active           boolean NOT NULL,
    secret           bytea NOT NULL CHECK (length(secret) = 32),
    previous_secret  bytea,
    previous_until   timestamptz,
    created_at       timestamptz NOT NULL,
    last_delivery_at timestamptz,
    last_failure_at  timestamptz,
    last_error       text
);

-- `source` is the entry of the ledger or of the phone book. `recipients` are keyed hashes, as the check returns them.
CREATE TABLE registry.opt_out (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source      uuid        NOT NULL UNIQUE,
    scope       text        NOT NULL CHECK (scope IN ('all', 'category', 'phone')),
    category_id text        REFERENCES registry.notification_category,
    recipients  text[]      NOT NULL,
    at          timestamptz NOT NULL,
    announced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((scope = 'category') = (category_id IS NOT NULL))
);
CREATE INDEX opt_out_age ON registry.opt_out (announced_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.opt_out_webhook TO balcao_app;
GRANT SELECT, INSERT ON registry.opt_out TO balcao_app;
