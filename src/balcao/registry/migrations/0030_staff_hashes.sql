-- The audit trail knows staff by a keyed hash of their CPF. This table leads from the hash to the departments of the
-- person, so that a citizen's list can name them. The worker fills it from registry.staff_department.
CREATE TABLE registry.staff_hash (
    hash       bytea    PRIMARY KEY CHECK (octet_length(hash) = 32),
    cpf        text     NOT NULL CHECK (cpf ~ '^\d{11}$'),
    key_number smallint NOT NULL,
    UNIQUE (cpf, key_number)
);
GRANT SELECT, INSERT, DELETE ON registry.staff_hash TO balcao_app;

-- A person who acts by no role is a citizen (platform.audit_event has the same kinds).
ALTER TABLE registry.preference_ledger
    DROP CONSTRAINT preference_ledger_actor_kind_check,
    ADD CONSTRAINT preference_ledger_actor_kind_check
        CHECK (actor_kind IN ('owner', 'citizen', 'staff', 'client', 'crm', 'worker', 'operator')) NOT VALID;
