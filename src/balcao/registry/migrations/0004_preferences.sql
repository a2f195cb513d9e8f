-- The proof of every change of a preference, what citizens set of themselves besides, and the avatars they choose from
-- (registry document, 3.5 and 4.7).

-- Append-only: the services have no right to change or remove an entry, and each carries the hash of the one before.
CREATE TABLE registry.preference_ledger (
    cpf        text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    seq        int NOT NULL CHECK (seq > 0),
    id         uuid NOT NULL UNIQUE,
    timestamp  timestamptz NOT NULL CHECK (isfinite(timestamp)),
    action     text NOT NULL CHECK (action IN ('opt_in', 'opt_out', 'category_update')),
    scope      text NOT NULL CHECK (scope IN ('global', 'category')),
    category   text REFERENCES registry.notification_category,
    channel    text NOT NULL CHECK (channel ~ '^[a-z0-9_.-]{1,32}$'),
    reason     text CHECK (char_length(reason) BETWEEN 1 AND 500),
    old_value  boolean NOT NULL,
    new_value  boolean NOT NULL CHECK (new_value <> old_value),
    actor_kind text NOT NULL CHECK (actor_kind IN ('owner', 'staff', 'client', 'crm', 'worker', 'operator')),
    azp        text NOT NULL,
    request_id text NOT NULL,
    prev_hash  bytea NOT NULL CHECK (octet_length(prev_hash) = 32),
    hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (cpf, seq),
    CHECK ((scope = 'category') = (category IS NOT NULL))
);

-- `image` names a figure that is shipped with the program; every other avatar lies at its own address.
CREATE TABLE registry.avatar (
    id         uuid PRIMARY KEY,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    url        text CHECK (char_length(url) <= 2048),
    image      text,
    is_active  boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((url IS NULL) <> (image IS NULL))
);

INSERT INTO registry.avatar (id, name, image) VALUES
    ('019a7f00-0000-7000-8000-000000000001', 'Barco', 'barco'),
    ('019a7f00-0000-7000-8000-000000000002', 'Bicicleta', 'bicicleta'),
    ('019a7f00-0000-7000-8000-000000000003', 'Cacto', 'cacto'),
    ('019a7f00-0000-7000-8000-000000000004', 'Farol', 'farol'),
    ('019a7f00-0000-7000-8000-000000000005', 'Montanha', 'montanha'),
    ('019a7f00-0000-7000-8000-000000000006', 'Peixe', 'peixe'),
    ('019a7f00-0000-7000-8000-000000000007', 'Pipa', 'pipa'),
    ('019a7f00-0000-7000-8000-000000000008', 'Tucano', 'tucano');

CREATE TABLE registry.settings (
    cpf        text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    firstlogin boolean NOT NULL DEFAULT true,
    avatar_id  uuid REFERENCES registry.avatar
);
CREATE INDEX settings_avatar ON registry.settings (avatar_id) WHERE avatar_id IS NOT NULL;

GRANT SELECT, INSERT ON registry.preference_ledger TO balcao_app;
GRANT SELECT, INSERT, UPDATE ON registry.settings TO balcao_app;
GRANT SELECT, INSERT, UPDATE (is_active) ON registry.avatar TO balcao_app;
