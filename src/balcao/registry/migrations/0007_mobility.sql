-- Light electric vehicles, their drivers and the catalogue of brands and models (registry document, 3.6 and 4.8).

-- `name_key` is the name without case. A deleted row stays: its id is never given again.
CREATE TABLE registry.vehicle_brand (
    id         text PRIMARY KEY CHECK (id ~ '^brand_[a-z0-9_]+$'),
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key   text NOT NULL,
    is_other   boolean NOT NULL DEFAULT false,
    deleted_at timestamptz
);
CREATE UNIQUE INDEX vehicle_brand_name ON registry.vehicle_brand (name_key) WHERE deleted_at IS NULL;

CREATE TABLE registry.vehicle_model (
    id           text PRIMARY KEY CHECK (id ~ '^model_[a-z0-9_]+$'),
    brand_id     text NOT NULL REFERENCES registry.vehicle_brand,
    name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    name_key     text NOT NULL,
    vehicle_type text NOT NULL CHECK (vehicle_type IN ('bicicleta_eletrica', 'autopropelido', 'ciclomotor')),
    is_other     boolean NOT NULL DEFAULT false,
    deleted_at   timestamptz
);
CREATE UNIQUE INDEX vehicle_model_name ON registry.vehicle_model (brand_id, name_key) WHERE deleted_at IS NULL;

-- What a citizen chooses who finds nothing of theirs in the catalogue.
INSERT INTO registry.vehicle_brand (id, name, name_key, is_other) VALUES ('brand_outro', 'Outro', 'outro', true);
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type, is_other)
VALUES ('model_outro', 'brand_outro', 'Outro', 'outro', 'autopropelido', true);

CREATE SEQUENCE registry.vehicle_number;

-- An erased vehicle keeps its registration number, without a person.
CREATE TABLE registry.vehicle (
    id                            uuid PRIMARY KEY,
    owner_cpf                     text CHECK (owner_cpf ~ '^\d{11}$'),
    registration_number           text NOT NULL UNIQUE,
    display_name                  text,
    color                         text NOT NULL,
    serial_number                 text,
    brand_id                      text REFERENCES registry.vehicle_brand,
    brand_other                   text,
    model_id                      text REFERENCES registry.vehicle_model,
    model_other                   text,
    vehicle_type                  text NOT NULL
        CHECK (vehicle_type IN ('bicicleta_eletrica', 'autopropelido', 'ciclomotor')),
    serial_number_photo_url       text,
    serial_number_photo_file_name text,
    serial_number_photo_file_size bigint,
    vehicle_photo_url             text,
    vehicle_photo_file_name       text,
    vehicle_photo_file_size       bigint,
    has_invoice                   boolean NOT NULL,
    invoice_photo_url             text,
    invoice_photo_file_name       text,
    invoice_photo_file_size       bigint,
    self_declaration              boolean NOT NULL CHECK (self_declaration),
    created_at                    timestamptz NOT NULL DEFAULT now(),
    updated_at                    timestamptz NOT NULL DEFAULT now(),
    deleted_at                    timestamptz,
    CHECK (deleted_at IS NOT NULL
        OR num_nulls(owner_cpf, display_name, serial_number, serial_number_photo_url, vehicle_photo_url) = 0),
    CHECK (deleted_at IS NOT NULL OR has_invoice = (invoice_photo_url IS NOT NULL)),
    CHECK (deleted_at IS NOT NULL
        OR (model_id IS NOT NULL AND brand_id IS NOT NULL AND num_nonnulls(brand_other, model_other) = 0)
        OR (model_id IS NULL AND model_other IS NOT NULL AND num_nonnulls(brand_id, brand_other) = 1))
);
CREATE INDEX vehicle_owner ON registry.vehicle (owner_cpf, created_at DESC, id DESC);
CREATE INDEX vehicle_of_brand ON registry.vehicle (brand_id) WHERE deleted_at IS NULL;
CREATE INDEX vehicle_of_model ON registry.vehicle (model_id) WHERE deleted_at IS NULL;
CREATE INDEX vehicle_to_erase ON registry.vehicle (deleted_at) WHERE deleted_at IS NOT NULL AND owner_cpf IS NOT NULL;

CREATE TABLE registry.vehicle_conductor (
    id                 uuid PRIMARY KEY,
    vehicle_id         uuid NOT NULL REFERENCES registry.vehicle,
    conductor_cpf      text NOT NULL CHECK (conductor_cpf ~ '^\d{11}$'),
    conductor_name     text,
    notify_email       text,
    phone              text,
    status             text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'accepted', 'rejected', 'revoked')),
    invited_by_cpf     text CHECK (invited_by_cpf ~ '^\d{11}$'),
    email_status       text NOT NULL DEFAULT 'pending'
        CHECK (email_status IN ('pending', 'queued', 'sent', 'failed', 'skipped')),
    email_attempts     int NOT NULL DEFAULT 0,
    email_attempted_at timestamptz,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    responded_at       timestamptz,
    CHECK (status IN ('rejected', 'revoked') OR num_nulls(notify_email, invited_by_cpf) = 0)
);
-- Decides between two invitations of one person at the same moment.
CREATE UNIQUE INDEX vehicle_conductor_open ON registry.vehicle_conductor (vehicle_id, conductor_cpf)
    WHERE status IN ('pending', 'accepted');
CREATE INDEX vehicle_conductor_person ON registry.vehicle_conductor (conductor_cpf, created_at);
CREATE INDEX vehicle_conductor_vehicle ON registry.vehicle_conductor (vehicle_id, created_at);
CREATE INDEX vehicle_conductor_waiting ON registry.vehicle_conductor (created_at) WHERE status = 'pending';
CREATE INDEX vehicle_conductor_over ON registry.vehicle_conductor (updated_at) WHERE status IN ('rejected', 'revoked');

GRANT SELECT, INSERT, UPDATE ON
    registry.vehicle_brand, registry.vehicle_model, registry.vehicle, registry.vehicle_conductor TO balcao_app;
GRANT USAGE ON SEQUENCE registry.vehicle_number TO balcao_app;
