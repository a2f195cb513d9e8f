-- The mailings for which senders check their recipients, and whom a check was recorded for (rules: registry 4.17).
--
-- `people` counts the people of the mailing. `client` is the sender's client.
CREATE TABLE registry.campaign (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client      text        NOT NULL CHECK (char_length(client) BETWEEN 1 AND 255),
    category_id text        NOT NULL REFERENCES registry.notification_category,
    code        text        NOT NULL CHECK (code ~ '^[a-z0-9][a-z0-9._-]{1,63}$'),
    purpose     text        NOT NULL CHECK (char_length(purpose) BETWEEN 1 AND 50),
    people      bigint      NOT NULL DEFAULT 0,
    declared_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (client, category_id, code)
);
CREATE INDEX campaign_age ON registry.campaign (checked_at);

-- A person is a keyed hash, as in the audit trail. The row only prevents a second event about the same mailing.
CREATE TABLE registry.campaign_person (
    campaign bigint      NOT NULL REFERENCES registry.campaign ON DELETE CASCADE,
    person   bytea       NOT NULL CHECK (octet_length(person) = 32),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (campaign, person)
);
CREATE INDEX campaign_person_age ON registry.campaign_person USING brin (at);

GRANT SELECT, INSERT, UPDATE (people, checked_at) ON registry.campaign TO balcao_app;
GRANT SELECT, INSERT ON registry.campaign_person TO balcao_app;

-- The newest entry of one flag is found without reading the person's other entries.
CREATE INDEX preference_ledger_flags ON registry.preference_ledger (cpf, category, seq);
