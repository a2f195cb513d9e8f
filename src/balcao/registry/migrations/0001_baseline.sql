-- The tables of the registry. `functions/` contains the other functions of this schema.
CREATE SCHEMA registry;
GRANT USAGE ON SCHEMA registry TO balcao_app;

-- Return the form in which texts are compared: without case, accents and repeated spaces. Two texts are the same if
-- their folded forms are equal. Generated columns and indexes use it. Collation "C" and the decomposed Unicode form
-- make the result equal on every server, whatever its locale.
CREATE FUNCTION registry.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;
GRANT EXECUTE ON FUNCTION registry.folded TO balcao_app;

-- The person. What the city knows is the base record. What the citizen, staff and the CRM declared is the mirror. The
-- record that callers see is merged from both (rules: registry 3.1, 3.2, 3.4, 4.2).

-- The city's record of a person. Only an import writes it.
CREATE TABLE registry.base_record (
    cpf       text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    record    jsonb       NOT NULL,
    wallet    jsonb,
    source    text        NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN registry.base_record.wallet IS
    'health, social assistance and school: imported with the record, but in its own column, because few calls read it';
-- The search at the counter: the day of birth with the first word of the civil or of the social name. Some cities
-- store the same day for thousands of people whose birthday they do not know, so the day is not enough.
CREATE INDEX base_record_born_names ON registry.base_record
    (left(record #>> '{nascimento,data}', 10), split_part(registry.folded(record ->> 'nome'), ' ', 1));
CREATE INDEX base_record_born_social_names ON registry.base_record
    (left(record #>> '{nascimento,data}', 10), split_part(registry.folded(record ->> 'nome_social'), ' ', 1))
    WHERE record ->> 'nome_social' <> '';
-- The digits of each phone, as the city wrote it. `functions/phone_owners.sql` looks for every way to write a number.
CREATE INDEX base_record_phones ON registry.base_record USING gin (string_to_array(
    translate(jsonb_path_query_array(record, '$.telefone.*.valor')::text, '[]" -.()+/', ''), ','))
    WHERE record ? 'telefone';
GRANT SELECT ON registry.base_record TO balcao_app;

-- One row for each person whose data a citizen, staff or the CRM declared. Every change of the mirror locks this row
-- first. A row with `anonymised_at` is the tombstone of an erased person.
CREATE TABLE registry.mirror_head (
    cpf                 text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    version             bigint      NOT NULL DEFAULT 0,
    anonymised_at       timestamptz CHECK (isfinite(anonymised_at)),
    consents_cleared_at timestamptz CHECK (isfinite(consents_cleared_at)),
    last_event_at       timestamptz
);
COMMENT ON COLUMN registry.mirror_head.version IS
    'every transaction that may change the mirror increments it: an equal version means that nothing has changed';
COMMENT ON COLUMN registry.mirror_head.anonymised_at IS 'older events have no effect';
-- The retention report counts the people anonymised since a day. The list of tombstones is written beside the backups
-- every few seconds (rules: registry 4.9).
CREATE INDEX mirror_head_anonymised ON registry.mirror_head (anonymised_at) WHERE anonymised_at IS NOT NULL;
CREATE INDEX mirror_head_tombstones ON registry.mirror_head (cpf) INCLUDE (anonymised_at)
    WHERE anonymised_at IS NOT NULL;

-- The mirrored fields, such as `email` or `endereco.cep`. The row of a cleared field stays with JSON null, so that an
-- older event cannot restore its value.
CREATE TABLE registry.register (
    cpf             text        NOT NULL REFERENCES registry.mirror_head,
    field           text        NOT NULL,
    value           jsonb       NOT NULL,
    at              timestamptz NOT NULL CHECK (isfinite(at)),
    origin          text        NOT NULL CHECK (origin IN ('citizen', 'staff', 'crm')),
    confirmed_value jsonb,
    confirmed_at    timestamptz,
    pushed_value    jsonb,
    pushed_before   jsonb[],
    pushed_at       timestamptz,
    PRIMARY KEY (cpf, field)
);
COMMENT ON COLUMN registry.register.origin IS 'who declared the value';
COMMENT ON COLUMN registry.register.confirmed_at IS
    'when the CRM last sent an equal value, or the echo of a value that was sent; only if the origin is not the CRM';
COMMENT ON COLUMN registry.register.confirmed_value IS 'that value, in the spelling of the CRM';
COMMENT ON COLUMN registry.register.pushed_value IS 'the last value sent to the CRM: if it comes back, it is an echo';
COMMENT ON COLUMN registry.register.pushed_before IS
    'earlier sent values whose echo may still arrive, newest first, at most eight; cleared by a confirmed push';
-- Times in the future show that a clock is wrong. They are rare, so a small BRIN index that skips ranges of pages is
-- enough, and updates stay cheap.
CREATE INDEX register_times ON registry.register USING brin (at) WITH (autosummarize = on);
CREATE INDEX register_confirmations ON registry.register USING brin (confirmed_at) WITH (autosummarize = on);
-- The digits of each phone, see `base_record_phones`.
CREATE INDEX register_phones ON registry.register (regexp_replace(value #>> '{}', '\D', '', 'g'))
    WHERE field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional');

-- The citizen's original input, if its CRM form has less detail. Responses show the input as long as the mirrored field
-- still has the CRM form `wire`.
CREATE TABLE registry.wording (
    cpf   text        NOT NULL REFERENCES registry.mirror_head,
    kind  text        NOT NULL CHECK (kind IN ('endereco', 'telefone', 'genero')),
    value jsonb       NOT NULL,
    wire  text        NOT NULL,
    at    timestamptz NOT NULL CHECK (isfinite(at)),
    PRIMARY KEY (cpf, kind)
);

-- The consents that the CRM manages, with its own categories and channels.
CREATE TABLE registry.crm_consentimentos (
    cpf        text        NOT NULL REFERENCES registry.mirror_head,
    categoria  text        NOT NULL,
    canal      text        NOT NULL,
    status     text        NOT NULL CHECK (status IN ('IN', 'OUT')),
    acao       text,
    data       text,
    finalidade text,
    motivo     text,
    at         timestamptz NOT NULL CHECK (isfinite(at)),
    origin     text        NOT NULL CHECK (origin IN ('citizen', 'staff', 'crm')),
    PRIMARY KEY (cpf, categoria, canal)
);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON registry.mirror_head, registry.register, registry.wording, registry.crm_consentimentos TO balcao_app;

-- The drawings from which citizens choose. `image` is a drawing that the program contains. Other avatars have an
-- address.
CREATE TABLE registry.avatar (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    url        text        CHECK (char_length(url) <= 2048),
    image      text,
    is_active  boolean     NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((url IS NULL) <> (image IS NULL))
);
GRANT SELECT, INSERT, UPDATE (is_active) ON registry.avatar TO balcao_app;

-- A person's settings. Without a row, the defaults apply.
CREATE TABLE registry.settings (
    cpf        text    PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    firstlogin boolean NOT NULL DEFAULT true,
    avatar_id  uuid    REFERENCES registry.avatar
);
CREATE INDEX settings_avatar ON registry.settings (avatar_id) WHERE avatar_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON registry.settings TO balcao_app;

-- Own writes, and how they reach the CRM (rules: registry 3.4, 4.5).

-- The fields that must still be sent to the CRM: one row for each person, so that changes of the same person are sent
-- together. The job queue stores attempts, delay and lease. The row is deleted when everything has been sent.
CREATE TABLE registry.outbox (
    cpf             text        PRIMARY KEY REFERENCES registry.mirror_head,
    id              uuid        NOT NULL UNIQUE,
    job             bigint      NOT NULL UNIQUE,
    given_up        boolean     NOT NULL DEFAULT false,
    dirty           jsonb       NOT NULL,
    version         bigint      NOT NULL,
    first_change_at timestamptz NOT NULL,
    attempts_log    jsonb       NOT NULL DEFAULT '[]',
    request_id      text        NOT NULL
);
COMMENT ON COLUMN registry.outbox.id IS
    'the job finds the row by this id, which changes with every new job, so an old job finds nothing';
COMMENT ON COLUMN registry.outbox.job IS 'the queued job that sends this row';
COMMENT ON COLUMN registry.outbox.given_up IS 'the job made its last attempt: the next own write starts a new job';
COMMENT ON COLUMN registry.outbox.dirty IS 'field -> version of its last change';
COMMENT ON COLUMN registry.outbox.attempts_log IS 'codes and field names of the last ten attempts, never a value';
CREATE INDEX outbox_oldest ON registry.outbox (first_change_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.outbox TO balcao_app;

-- The e-mails that logins wrote into the CRM, as digests, so that the mirror recognises their echoes
-- (rules: registry 4.4).
CREATE TABLE registry.login_write (
    cpf            text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    email_sha256   bytea       NOT NULL,
    earlier_sha256 bytea[]     NOT NULL DEFAULT '{}',
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    until          timestamptz NOT NULL
);
COMMENT ON COLUMN registry.login_write.earlier_sha256 IS
    'earlier e-mails whose echo may still arrive, newest first, at most eight';
COMMENT ON COLUMN registry.login_write.until IS
    'until then the call may be running, and pushes of an e-mail of this person wait';
CREATE INDEX login_write_age ON registry.login_write (at);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.login_write TO balcao_app;

-- Contact: phone numbers, the codes that prove them, and whom a number reaches (rules: registry 3.5, 4.7, 4.13).

-- A phone number that a citizen proves by a code: at most one open verification for each person. Number and code are
-- deleted when the code is used or has expired.
CREATE TABLE registry.phone_verification (
    cpf         text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    id          uuid        NOT NULL UNIQUE,
    ddi         text,
    ddd         text,
    valor       text,
    code_hash   bytea       NOT NULL,
    sealed_code text,
    attempts    int         NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
    sent_at     timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    used_at     timestamptz,
    CHECK ((ddi IS NULL) = (ddd IS NULL) AND (ddi IS NULL) = (valor IS NULL))
);
COMMENT ON COLUMN registry.phone_verification.sealed_code IS 'the code, encrypted, until the job has sent it';
CREATE INDEX phone_verification_expiry ON registry.phone_verification (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.phone_verification TO balcao_app;

-- When codes were sent, for the limits. `counted` is a keyed hash of the citizen, of the number, or of both together,
-- so the limits outlive the verification and the table contains neither a CPF nor a number.
CREATE TABLE registry.phone_code_sent (
    counted bytea       NOT NULL,
    sent_at timestamptz NOT NULL
);
CREATE INDEX phone_code_sent_lately ON registry.phone_code_sent (counted, sent_at DESC);
CREATE INDEX phone_code_sent_age ON registry.phone_code_sent (sent_at);
GRANT SELECT, INSERT, DELETE ON registry.phone_code_sent TO balcao_app;

-- The phone book. A number is bound to a person or in quarantine. A number without a row is free.
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
COMMENT ON COLUMN registry.phone_book.proof IS
    '`code`: proven by a code; `token`: the person only claimed it, so the binding lasts a limited time';
COMMENT ON COLUMN registry.phone_book.opt_in IS 'the consent of the person to messages at this number';
COMMENT ON COLUMN registry.phone_book.was_bound IS 'the quarantine ended a binding';
COMMENT ON COLUMN registry.phone_book.version IS 'new with every write: a caller writes only the row that it has read';
CREATE INDEX phone_book_of_person ON registry.phone_book (cpf) WHERE cpf IS NOT NULL;
CREATE INDEX phone_book_quarantine ON registry.phone_book (quarantine_until, number) WHERE quarantine_until IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.phone_book TO balcao_app;

-- What was declared about a number, as proof. The services may only insert. The number itself is only a keyed hash, and
-- its last four digits.
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
GRANT SELECT, INSERT ON registry.phone_book_entry TO balcao_app;

-- Consent: which messages a person wants, the proof of it, and the senders who ask (rules: registry 3.5, 4.7, 4.17,
-- 4.19).

-- The categories of messages. `default_opt_in` applies to people who have not chosen.
CREATE TABLE registry.notification_category (
    id             text        PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9_]{1,49}$'),
    name           text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    description    text        NOT NULL CHECK (char_length(description) BETWEEN 1 AND 500),
    default_opt_in boolean     NOT NULL DEFAULT false,
    active         boolean     NOT NULL DEFAULT true,
    "order"        int         NOT NULL CHECK ("order" BETWEEN 0 AND 9999),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

-- Whether a person accepts messages at all. Without a row, they do.
CREATE TABLE registry.preferences (
    cpf        text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    opt_in     boolean     NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- The person's own choices. Without a row, the category's default applies.
CREATE TABLE registry.preference_choice (
    cpf         text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    category_id text        NOT NULL REFERENCES registry.notification_category,
    opt_in      boolean     NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cpf, category_id)
);

-- The proof of every change of a preference: one chain for each person. Each entry contains the hash of the one before.
-- The services may only insert.
CREATE TABLE registry.preference_ledger (
    cpf        text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    seq        int         NOT NULL CHECK (seq > 0),
    id         uuid        NOT NULL UNIQUE,
    timestamp  timestamptz NOT NULL CHECK (isfinite(timestamp)),
    action     text        NOT NULL CHECK (action IN ('opt_in', 'opt_out', 'category_update')),
    scope      text        NOT NULL CHECK (scope IN ('global', 'category')),
    category   text        REFERENCES registry.notification_category,
    channel    text        NOT NULL CHECK (channel ~ '^[a-z0-9_.-]{1,32}$'),
    reason     text        CHECK (char_length(reason) BETWEEN 1 AND 500),
    old_value  boolean     NOT NULL,
    new_value  boolean     NOT NULL CHECK (new_value <> old_value),
    actor_kind text        NOT NULL
        CHECK (actor_kind IN ('owner', 'citizen', 'staff', 'client', 'crm', 'worker', 'operator')),
    azp        text        NOT NULL,
    request_id text        NOT NULL,
    prev_hash  bytea       NOT NULL CHECK (octet_length(prev_hash) = 32),
    hash       bytea       NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (cpf, seq),
    CHECK ((scope = 'category') = (category IS NOT NULL))
);
COMMENT ON COLUMN registry.preference_ledger.actor_kind IS
    'as in the audit trail; `citizen` is another person without a role';
-- The newest entry about one category is found without reading the person's other entries.
CREATE INDEX preference_ledger_flags ON registry.preference_ledger (cpf, category, seq);

GRANT SELECT, INSERT, UPDATE ON registry.notification_category, registry.preferences, registry.preference_choice
    TO balcao_app;
GRANT SELECT, INSERT ON registry.preference_ledger TO balcao_app;

-- The mailings for which senders checked their recipients.
CREATE TABLE registry.campaign (
    number      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client      text        NOT NULL CHECK (char_length(client) BETWEEN 1 AND 255),
    category_id text        NOT NULL REFERENCES registry.notification_category,
    code        text        NOT NULL CHECK (code ~ '^[a-z0-9][a-z0-9._-]{1,63}$'),
    purpose     text        NOT NULL CHECK (char_length(purpose) BETWEEN 1 AND 50),
    people      bigint      NOT NULL DEFAULT 0,
    declared_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (client, category_id, code)
);
COMMENT ON COLUMN registry.campaign.client IS 'the client id of the sender';
COMMENT ON COLUMN registry.campaign.people IS 'how many people the checks concerned';
CREATE INDEX campaign_age ON registry.campaign (checked_at);
GRANT SELECT, INSERT, UPDATE (people, checked_at) ON registry.campaign TO balcao_app;

-- The people of a mailing, as keyed hashes. A row prevents a second audit event about the same person and mailing.
CREATE TABLE registry.campaign_person (
    campaign bigint      NOT NULL REFERENCES registry.campaign ON DELETE CASCADE,
    person   bytea       NOT NULL CHECK (octet_length(person) = 32),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (campaign, person)
);
CREATE INDEX campaign_person_age ON registry.campaign_person USING brin (at);
GRANT SELECT, INSERT ON registry.campaign_person TO balcao_app;

-- The webhooks of senders that want to know about opt-outs. `core/webhooks` signs and delivers the messages.
CREATE TABLE registry.opt_out_webhook (
    id               uuid        PRIMARY KEY,
    url              text        NOT NULL CHECK (char_length(url) <= 500),
    description      text        CHECK (char_length(description) <= 200),
    categories       text[]      NOT NULL,
    active           boolean     NOT NULL,
    secret           bytea       NOT NULL CHECK (length(secret) = 32),
    previous_secret  bytea,
    previous_until   timestamptz,
    created_at       timestamptz NOT NULL,
    last_delivery_at timestamptz,
    last_failure_at  timestamptz,
    last_error       text
);
COMMENT ON COLUMN registry.opt_out_webhook.categories IS 'empty means all categories';
COMMENT ON COLUMN registry.opt_out_webhook.previous_secret IS
    'until `previous_until`, messages have the signatures of both secrets';
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.opt_out_webhook TO balcao_app;

-- The opt-outs of which senders were notified.
CREATE TABLE registry.opt_out (
    number       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source       uuid        NOT NULL UNIQUE,
    scope        text        NOT NULL CHECK (scope IN ('all', 'category', 'phone')),
    category_id  text        REFERENCES registry.notification_category,
    recipients   text[]      NOT NULL,
    at           timestamptz NOT NULL,
    announced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((scope = 'category') = (category_id IS NOT NULL))
);
COMMENT ON COLUMN registry.opt_out.source IS
    'the id of the entry in the ledger or in the phone book; unique, so that a repeated job notifies only once';
COMMENT ON COLUMN registry.opt_out.recipients IS 'keyed hashes, as the check of recipients returns them';
CREATE INDEX opt_out_age ON registry.opt_out (announced_at);
GRANT SELECT, INSERT ON registry.opt_out TO balcao_app;

-- Things of a person: files, pets, vehicles, and tickets that the city imported.

-- The files that citizens send. The content is in a folder or a bucket, under the id. The row is inserted after the
-- content was stored and deleted before it, so a row always has its content (rules: registry 4.18).
CREATE TABLE registry.citizen_file (
    cpf          text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id           uuid        NOT NULL,
    media_type   text        NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'application/pdf')),
    size         integer     NOT NULL CHECK (size > 0),
    digest       bytea       NOT NULL CHECK (octet_length(digest) = 32),
    width        integer,
    height       integer,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    unused_since timestamptz DEFAULT clock_timestamp(),
    PRIMARY KEY (cpf, id)
);
COMMENT ON COLUMN registry.citizen_file.digest IS 'SHA-256 of the content';
COMMENT ON COLUMN registry.citizen_file.unused_since IS
    'null while a record refers to the file; a file that stays unused for a day is deleted';
CREATE INDEX citizen_file_unused ON registry.citizen_file (unused_since) WHERE unused_since IS NOT NULL;
-- The comparison with the storage, and the copy of all files that are newer than the last copy.
CREATE INDEX citizen_file_id ON registry.citizen_file (id);
CREATE INDEX citizen_file_created ON registry.citizen_file (created_at, id);

-- Which records refer to a file: the kind of record, such as `vehicle`, and its id.
CREATE TABLE registry.file_use (
    cpf       text NOT NULL,
    file_id   uuid NOT NULL,
    holder    text NOT NULL CHECK (holder ~ '^[a-z_]{1,40}$'),
    holder_id uuid NOT NULL,
    PRIMARY KEY (cpf, file_id, holder, holder_id),
    FOREIGN KEY (cpf, file_id) REFERENCES registry.citizen_file (cpf, id)
);
CREATE INDEX file_use_holder ON registry.file_use (holder_id, holder);

-- Files whose row was deleted and whose content must still be deleted from the storage.
CREATE TABLE registry.deleted_file (
    id         uuid        PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.citizen_file, registry.file_use TO balcao_app;
GRANT SELECT, INSERT, DELETE ON registry.deleted_file TO balcao_app;

-- Pets that the city imported, which citizens can only read, and pets that citizens added. The numbers do not overlap
-- (rules: registry 3.7).
CREATE TABLE registry.loaded_pet (
    cpf       text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_animal bigint      NOT NULL CHECK (id_animal BETWEEN 1 AND 999999),
    record    jsonb       NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cpf, id_animal)
);
GRANT SELECT ON registry.loaded_pet TO balcao_app;

CREATE SEQUENCE registry.own_pet_id MINVALUE 1000000;
GRANT USAGE ON SEQUENCE registry.own_pet_id TO balcao_app;

CREATE TABLE registry.own_pet (
    cpf        text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_animal  bigint      NOT NULL DEFAULT nextval('registry.own_pet_id') CHECK (id_animal >= 1000000),
    record     jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cpf, id_animal)
);
GRANT SELECT, INSERT, DELETE, UPDATE (record) ON registry.own_pet TO balcao_app;

-- The catalogue of light electric vehicles (rules: registry 3.6, 4.8). A deleted row stays, so that its id is never
-- used again. `is_other` marks the row that citizens choose if the catalogue does not contain their vehicle. That row
-- cannot change.
CREATE TABLE registry.vehicle_brand (
    id         text        PRIMARY KEY CHECK (id ~ '^brand_[a-z0-9_]+$'),
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key   text        NOT NULL,
    is_other   boolean     NOT NULL DEFAULT false,
    deleted_at timestamptz
);
COMMENT ON COLUMN registry.vehicle_brand.name_key IS 'the name without case';
CREATE UNIQUE INDEX vehicle_brand_name ON registry.vehicle_brand (name_key) WHERE deleted_at IS NULL;

CREATE TABLE registry.vehicle_model (
    id           text        PRIMARY KEY CHECK (id ~ '^model_[a-z0-9_]+$'),
    brand_id     text        NOT NULL REFERENCES registry.vehicle_brand,
    name         text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key     text        NOT NULL,
    vehicle_type text        NOT NULL CHECK (vehicle_type IN ('bicicleta_eletrica', 'autopropelido', 'ciclomotor')),
    is_other     boolean     NOT NULL DEFAULT false,
    deleted_at   timestamptz
);
CREATE UNIQUE INDEX vehicle_model_name ON registry.vehicle_model (brand_id, name_key) WHERE deleted_at IS NULL;

-- The digits of `registration_number`. Numbers are never used again, but there can be gaps.
CREATE SEQUENCE registry.vehicle_number;
GRANT USAGE ON SEQUENCE registry.vehicle_number TO balcao_app;

-- The vehicles. The owner deletes a vehicle by `deleted_at`. Two years later it is erased: it keeps its registration
-- number and loses what identifies a person.
CREATE TABLE registry.vehicle (
    id                            uuid        PRIMARY KEY,
    owner_cpf                     text        CHECK (owner_cpf ~ '^\d{11}$'),
    registration_number           text        NOT NULL UNIQUE,
    display_name                  text,
    color                         text        NOT NULL,
    serial_number                 text,
    -- Brand and model are from the catalogue, or the owner describes them.
    brand_id                      text        REFERENCES registry.vehicle_brand,
    brand_other                   text,
    model_id                      text        REFERENCES registry.vehicle_model,
    model_other                   text,
    vehicle_type                  text        NOT NULL
        CHECK (vehicle_type IN ('bicicleta_eletrica', 'autopropelido', 'ciclomotor')),
    -- A photo is an address or a file of the owner.
    serial_number_photo_url       text,
    serial_number_photo_file_id   uuid,
    serial_number_photo_file_name text,
    serial_number_photo_file_size bigint,
    vehicle_photo_url             text,
    vehicle_photo_file_id         uuid,
    vehicle_photo_file_name       text,
    vehicle_photo_file_size       bigint,
    has_invoice                   boolean     NOT NULL,
    invoice_photo_url             text,
    invoice_photo_file_name       text,
    invoice_photo_file_size       bigint,
    self_declaration              boolean     NOT NULL CHECK (self_declaration),
    created_at                    timestamptz NOT NULL DEFAULT now(),
    updated_at                    timestamptz NOT NULL DEFAULT now(),
    deleted_at                    timestamptz,
    CONSTRAINT vehicle_is_complete CHECK (deleted_at IS NOT NULL
        OR num_nulls(owner_cpf, display_name, serial_number) = 0
        AND num_nonnulls(serial_number_photo_url, serial_number_photo_file_id) > 0
        AND num_nonnulls(vehicle_photo_url, vehicle_photo_file_id) > 0),
    CONSTRAINT vehicle_has_its_invoice CHECK (deleted_at IS NOT NULL OR has_invoice = (invoice_photo_url IS NOT NULL)),
    CONSTRAINT vehicle_has_its_model CHECK (deleted_at IS NOT NULL
        OR (model_id IS NOT NULL AND brand_id IS NOT NULL AND num_nonnulls(brand_other, model_other) = 0)
        OR (model_id IS NULL AND model_other IS NOT NULL AND num_nonnulls(brand_id, brand_other) = 1))
);
COMMENT ON COLUMN registry.vehicle.self_declaration IS 'the owner declared that the data are true';
CREATE INDEX vehicle_owner ON registry.vehicle (owner_cpf, created_at DESC, id DESC);
CREATE INDEX vehicle_of_brand ON registry.vehicle (brand_id) WHERE deleted_at IS NULL;
CREATE INDEX vehicle_of_model ON registry.vehicle (model_id) WHERE deleted_at IS NULL;
CREATE INDEX vehicle_to_erase ON registry.vehicle (deleted_at) WHERE deleted_at IS NOT NULL AND owner_cpf IS NOT NULL;

-- The drivers whom an owner invited. Name, e-mail and phone are what the owner entered.
CREATE TABLE registry.vehicle_conductor (
    id                 uuid        PRIMARY KEY,
    vehicle_id         uuid        NOT NULL REFERENCES registry.vehicle,
    conductor_cpf      text        NOT NULL CHECK (conductor_cpf ~ '^\d{11}$'),
    conductor_name     text,
    notify_email       text,
    phone              text,
    status             text        NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'accepted', 'rejected', 'revoked')),
    invited_by_cpf     text        CHECK (invited_by_cpf ~ '^\d{11}$'),
    email_status       text        NOT NULL DEFAULT 'pending'
        CHECK (email_status IN ('pending', 'queued', 'sent', 'failed', 'skipped')),
    email_attempts     int         NOT NULL DEFAULT 0,
    email_attempted_at timestamptz,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    responded_at       timestamptz,
    CHECK (status IN ('rejected', 'revoked') OR num_nulls(notify_email, invited_by_cpf) = 0)
);
-- A person has at most one open link to a vehicle, even if two invitations arrive at the same time.
CREATE UNIQUE INDEX vehicle_conductor_open ON registry.vehicle_conductor (vehicle_id, conductor_cpf)
    WHERE status IN ('pending', 'accepted');
CREATE INDEX vehicle_conductor_person ON registry.vehicle_conductor (conductor_cpf, created_at);
CREATE INDEX vehicle_conductor_vehicle ON registry.vehicle_conductor (vehicle_id, created_at);
CREATE INDEX vehicle_conductor_waiting ON registry.vehicle_conductor (created_at) WHERE status = 'pending';
CREATE INDEX vehicle_conductor_over ON registry.vehicle_conductor (updated_at) WHERE status IN ('rejected', 'revoked');
-- Before an e-mail is sent, the e-mails of the last day to this address and by this owner are counted.
CREATE INDEX vehicle_conductor_mailed ON registry.vehicle_conductor (notify_email, email_attempted_at)
    WHERE email_attempted_at IS NOT NULL;
CREATE INDEX vehicle_conductor_mailer ON registry.vehicle_conductor (invited_by_cpf, email_attempted_at)
    WHERE email_attempted_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE
    ON registry.vehicle_brand, registry.vehicle_model, registry.vehicle, registry.vehicle_conductor TO balcao_app;

-- Tickets of services that the city imports from another system (rules: registry 3.3).
CREATE TABLE registry.ticket (
    cpf                         text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id                          text        NOT NULL CHECK (char_length(id) BETWEEN 1 AND 100),
    id_chamado                  text,
    categoria                   text,
    tipo                        text,
    subtipo                     text,
    status                      text        NOT NULL,
    descricao                   text,
    endereco                    text,
    nome_unidade_organizacional text,
    origem_ocorrencia           text,
    data_inicio                 timestamptz NOT NULL CHECK (isfinite(data_inicio)),
    data_alvo_finalizacao       timestamptz CHECK (isfinite(data_alvo_finalizacao)),
    data_fim                    timestamptz CHECK (isfinite(data_fim)),
    indicador                   boolean     NOT NULL,
    PRIMARY KEY (cpf, id)
);
CREATE INDEX ticket_newest ON registry.ticket (cpf, data_inicio DESC, id DESC);
-- The search at the counter by protocol.
CREATE INDEX ticket_protocols ON registry.ticket (id_chamado) WHERE id_chamado IS NOT NULL;
GRANT SELECT ON registry.ticket TO balcao_app;

-- Requests: what citizens ask the city to do (rules: registry 3.9, 4.20).

CREATE TABLE registry.request_type (
    id         text        PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9_]{1,49}$'),
    version    integer     NOT NULL CHECK (version > 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN registry.request_type.version IS 'the current version';

-- The definitions of a type. They never change: an edit adds a version, and a request refers to the version that its
-- answers belong to.
CREATE TABLE registry.request_type_version (
    type       text        NOT NULL REFERENCES registry.request_type,
    version    integer     NOT NULL CHECK (version > 0),
    definition jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (type, version)
);

CREATE SEQUENCE registry.request_number;

CREATE TABLE registry.request (
    cpf            text        NOT NULL CHECK (cpf ~ '^(\d{11})?$'),
    id             uuid        NOT NULL UNIQUE,
    number         text        NOT NULL UNIQUE,
    type           text        NOT NULL,
    version        integer     NOT NULL,
    answers        jsonb       NOT NULL,
    description    text,
    place          text,
    departments    text[]      NOT NULL,
    channel        text        NOT NULL,
    state          text        NOT NULL
        CHECK (state IN ('received', 'sent', 'in_progress', 'needs_information', 'done', 'refused', 'reopened')),
    code_hash      bytea,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    deadline       timestamptz NOT NULL,
    closed_at      timestamptz,
    erased_at      timestamptz,
    protocol       text,
    crm_status     text,
    crm_message    text,
    crm_changed_at timestamptz,
    last_step      integer     NOT NULL,
    sent_step      integer     NOT NULL DEFAULT 0,
    stars          smallint    CHECK (stars BETWEEN 1 AND 5),
    comment        text,
    rated_at       timestamptz,
    PRIMARY KEY (cpf, id),
    FOREIGN KEY (type, version) REFERENCES registry.request_type_version,
    CHECK ((closed_at IS NOT NULL) = (state IN ('done', 'refused')))
);
COMMENT ON COLUMN registry.request.cpf IS 'empty for a request without login, and after an erasure';
COMMENT ON COLUMN registry.request.code_hash IS 'the hash of the code by which a request without login is followed';
COMMENT ON COLUMN registry.request.description IS 'the first text among the answers; `place` is the first place';
COMMENT ON COLUMN registry.request.protocol IS 'the protocol of the case in the CRM';
COMMENT ON COLUMN registry.request.crm_changed_at IS
    'the time of `crm_status` and `crm_message`: an older reading by another worker is ignored';
COMMENT ON COLUMN registry.request.sent_step IS 'the last step that the CRM has';
CREATE INDEX request_newest ON registry.request (cpf, created_at DESC, number DESC);
CREATE INDEX request_open ON registry.request (deadline, number) WHERE closed_at IS NULL;
CREATE INDEX request_changed ON registry.request (updated_at DESC, number DESC);

-- The history of a request, which the citizen sees. A step without a state is only a message.
CREATE TABLE registry.request_step (
    cpf     text        NOT NULL,
    request uuid        NOT NULL,
    seq     integer     NOT NULL CHECK (seq > 0),
    state   text,
    text    text,
    files   uuid[]      NOT NULL DEFAULT '{}',
    author  text        NOT NULL CHECK (author IN ('citizen', 'staff', 'crm', 'platform')),
    at      timestamptz NOT NULL,
    PRIMARY KEY (cpf, request, seq),
    -- An erasure empties the CPF of the request, and its steps follow.
    FOREIGN KEY (cpf, request) REFERENCES registry.request (cpf, id) ON UPDATE CASCADE ON DELETE CASCADE
);
COMMENT ON COLUMN registry.request_step.files IS 'the files of a citizen''s answer';

-- How far the changed cases of the CRM have been read: one row. The next page starts after the case `after_id` that
-- changed at `moment`.
CREATE TABLE registry.request_poll (
    id       boolean     PRIMARY KEY DEFAULT true CHECK (id),
    moment   timestamptz NOT NULL,
    after_id text        NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON registry.request_type, registry.request, registry.request_step TO balcao_app;
GRANT SELECT, INSERT ON registry.request_type_version TO balcao_app;
GRANT SELECT, UPDATE ON registry.request_poll TO balcao_app;
GRANT USAGE ON SEQUENCE registry.request_number TO balcao_app;

-- Lists of the city, imported: departments, economic activities and companies (rules: registry 2.6, 3.7, 4.10).

CREATE TABLE registry.department (
    cd_ua           text        COLLATE "C" PRIMARY KEY CHECK (char_length(cd_ua) BETWEEN 1 AND 50),
    id              text        NOT NULL,
    sigla_ua        text        NOT NULL,
    nome_ua         text        NOT NULL,
    cd_ua_pai       text,
    nivel           smallint    NOT NULL CHECK (nivel BETWEEN 0 AND 99),
    ordem_ua_basica text        NOT NULL,
    ordem_absoluta  text        COLLATE "C" NOT NULL,
    ordem_relativa  text        NOT NULL,
    msg             text,
    updated_at      timestamptz CHECK (isfinite(updated_at)),
    folded_nome     text        NOT NULL GENERATED ALWAYS AS (registry.folded(nome_ua)) STORED,
    folded_sigla    text        NOT NULL GENERATED ALWAYS AS (registry.folded(sigla_ua)) STORED,
    loaded_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN registry.department.cd_ua_pai IS
    'the parent; no foreign key, because the city''s file can name a department that does not exist';
CREATE INDEX department_order ON registry.department (nivel, ordem_absoluta, cd_ua);
GRANT SELECT ON registry.department TO balcao_app;

-- Who works in which department. Some actions reach only the departments of the member of staff.
CREATE TABLE registry.staff_department (
    cpf        text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    cd_ua      text        COLLATE "C" NOT NULL REFERENCES registry.department,
    id         uuid        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text        CHECK (created_by ~ '^\d{11}$'),
    PRIMARY KEY (cpf, cd_ua)
);
GRANT SELECT, INSERT, DELETE ON registry.staff_department TO balcao_app;

-- The audit trail contains staff only as a keyed hash of their CPF. This table maps the hash to the person, so that a
-- citizen's access list can name the departments. The worker fills it from `staff_department`.
CREATE TABLE registry.staff_hash (
    hash       bytea    PRIMARY KEY CHECK (octet_length(hash) = 32),
    cpf        text     NOT NULL CHECK (cpf ~ '^\d{11}$'),
    key_number smallint NOT NULL,
    UNIQUE (cpf, key_number)
);
GRANT SELECT, INSERT, DELETE ON registry.staff_hash TO balcao_app;

-- The classification of economic activities (CNAE).
CREATE TABLE registry.activity (
    id          text        COLLATE "C" PRIMARY KEY,
    secao       text        NOT NULL,
    divisao     text        NOT NULL,
    grupo       text        NOT NULL,
    classe      text        NOT NULL,
    subclasse   text        COLLATE "C" NOT NULL,
    denominacao text        NOT NULL,
    folded      text        NOT NULL GENERATED ALWAYS AS (registry.folded(denominacao)) STORED,
    loaded_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX activity_order ON registry.activity (subclasse, id);

CREATE TABLE registry.company (
    cnpj      text        COLLATE "C" PRIMARY KEY CHECK (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
    record    jsonb       NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);

-- The partners and the responsible person of a company, extracted from its record by the import.
CREATE TABLE registry.company_member (
    cpf  text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    cnpj text COLLATE "C" NOT NULL REFERENCES registry.company,
    PRIMARY KEY (cpf, cnpj)
);
CREATE INDEX company_member_company ON registry.company_member (cnpj);

GRANT SELECT ON registry.activity, registry.company, registry.company_member TO balcao_app;

-- Operation with the CRM: events that it sends, leases, and reconciliation (rules: registry 3.4, 4.1, 4.4, 4.12).

-- The accepted events. A job applies each event to the mirror.
CREATE TABLE registry.crm_event (
    id             uuid        PRIMARY KEY,
    cpf            text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    evento         text        NOT NULL CHECK (evento IN ('atualizacao', 'anonimizacao')),
    event_at       timestamptz NOT NULL CHECK (isfinite(event_at)),
    has_updated_at boolean     NOT NULL,
    dados          jsonb,
    dados_sha256   bytea       NOT NULL,
    accepted_at    timestamptz NOT NULL DEFAULT now(),
    azp            text        NOT NULL,
    request_id     text        NOT NULL,
    applied_at     timestamptz,
    result         text        CHECK (result IN ('applied', 'partly_older', 'older', 'no_effect', 'anonymised')),
    CHECK ((applied_at IS NULL) = (result IS NULL)),
    CHECK (applied_at IS NULL OR dados IS NULL)
);
COMMENT ON COLUMN registry.crm_event.has_updated_at IS
    'the CRM sent the time; otherwise `event_at` is when the call arrived';
COMMENT ON COLUMN registry.crm_event.dados IS 'the payload; deleted when the event is applied';
-- A repeated event adds no row. An event without the CRM's time is always stored, because it may be a new one.
CREATE UNIQUE INDEX crm_event_same ON registry.crm_event (cpf, evento, event_at, dados_sha256) WHERE has_updated_at;
CREATE INDEX crm_event_waiting ON registry.crm_event (cpf) WHERE applied_at IS NULL;
CREATE INDEX crm_event_oldest_waiting ON registry.crm_event (accepted_at) WHERE applied_at IS NULL;
-- The operator's list, newest first. Ids grow with time, so the primary key orders the list of all people. Events are
-- appended, so a small BRIN index finds a range of times.
CREATE INDEX crm_event_of_person ON registry.crm_event (cpf, id DESC);
CREATE INDEX crm_event_of_request ON registry.crm_event (request_id);
CREATE INDEX crm_event_times ON registry.crm_event USING brin (accepted_at, applied_at) WITH (autosummarize = on);
GRANT SELECT, INSERT, UPDATE ON registry.crm_event TO balcao_app;

-- The last call that repeated a known event, so that its sender finds the event by the id of that call. There is no
-- foreign key: its check would wait for the job that has locked the event.
CREATE TABLE registry.crm_event_repeat (
    event_id    uuid        PRIMARY KEY,
    request_id  text        NOT NULL,
    repeated_at timestamptz NOT NULL
);
CREATE INDEX crm_event_repeat_of_request ON registry.crm_event_repeat (request_id);
GRANT SELECT, INSERT, UPDATE ON registry.crm_event_repeat TO balcao_app;

-- Leases, so that two processes do not do the same work in the CRM for the same person. A lease lasts for seconds. It
-- is deleted after the work, and another process may take it over when it has expired.
CREATE TABLE registry.crm_lease (
    cpf     text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    purpose text        NOT NULL CHECK (purpose IN ('login', 'anonymisation')),
    holder  uuid        NOT NULL,
    until   timestamptz NOT NULL,
    PRIMARY KEY (cpf, purpose)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.crm_lease TO balcao_app;

-- Runs of the reconciliation, which reads the changed records of the CRM page by page. The position is committed
-- together with the events of each page. The table contains no personal data.
CREATE TABLE registry.crm_reconciliation (
    id           uuid        PRIMARY KEY,
    since        timestamptz NOT NULL CHECK (isfinite(since)),
    source       text        NOT NULL CHECK (source IN ('accounts', 'consents', 'requests')),
    moment       timestamptz NOT NULL CHECK (isfinite(moment)),
    after_id     text        NOT NULL DEFAULT '',
    page         int         NOT NULL DEFAULT 0,
    people       bigint      NOT NULL DEFAULT 0,
    events       bigint      NOT NULL DEFAULT 0,
    refused      bigint      NOT NULL DEFAULT 0,
    state        text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'abandoned')),
    request_id   text        NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz CHECK ((finished_at IS NULL) = (state = 'running'))
);
COMMENT ON COLUMN registry.crm_reconciliation.after_id IS
    'the run continues after this record, which changed at `moment`; empty before the first';
-- At most one run is active.
CREATE UNIQUE INDEX crm_reconciliation_running ON registry.crm_reconciliation (state) WHERE state = 'running';
GRANT SELECT, INSERT, UPDATE ON registry.crm_reconciliation TO balcao_app;

-- The rows that every new database contains (rules: registry 3.8).

INSERT INTO registry.notification_category (id, name, description, default_opt_in, "order") VALUES
    ('events', 'Eventos', 'Eventos culturais, esportivos e comunitários da cidade.', true, 1),
    ('services', 'Serviços', 'Novidades e andamento dos serviços que você usa.', true, 2),
    ('alerts', 'Alertas', 'Avisos urgentes de clima, trânsito e segurança.', true, 3),
    ('mei_opportunities', 'Oportunidades MEI', 'Oportunidades de trabalho para microempreendedores.', false, 4),
    ('courses', 'Cursos', 'Cursos e formações gratuitas da prefeitura.', false, 5),
    ('health', 'Saúde', 'Campanhas de vacinação e lembretes de saúde.', true, 6);

INSERT INTO registry.avatar (id, name, image) VALUES
    ('019a7f00-0000-7000-8000-000000000001', 'Barco', 'barco'),
    ('019a7f00-0000-7000-8000-000000000002', 'Bicicleta', 'bicicleta'),
    ('019a7f00-0000-7000-8000-000000000003', 'Cacto', 'cacto'),
    ('019a7f00-0000-7000-8000-000000000004', 'Farol', 'farol'),
    ('019a7f00-0000-7000-8000-000000000005', 'Montanha', 'montanha'),
    ('019a7f00-0000-7000-8000-000000000006', 'Peixe', 'peixe'),
    ('019a7f00-0000-7000-8000-000000000007', 'Pipa', 'pipa'),
    ('019a7f00-0000-7000-8000-000000000008', 'Tucano', 'tucano');

INSERT INTO registry.vehicle_brand (id, name, name_key, is_other) VALUES ('brand_outro', 'Outro', 'outro', true);
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type, is_other)
VALUES ('model_outro', 'brand_outro', 'Outro', 'outro', 'autopropelido', true);

-- Before every case of the CRM.
INSERT INTO registry.request_poll (moment, after_id) VALUES ('2000-01-01T00:00:00Z', '');
