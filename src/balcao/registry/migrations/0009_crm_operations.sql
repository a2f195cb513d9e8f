-- Who is at work in the CRM for a person, so that two processes do not do it twice (registry document, 4.4).
-- A row lasts for seconds: it is deleted after the work, or taken over when its time is up.
CREATE TABLE registry.crm_lease (
    cpf     text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    purpose text        NOT NULL CHECK (purpose IN ('login', 'anonymisation')),
    holder  uuid        NOT NULL,
    until   timestamptz NOT NULL,
    PRIMARY KEY (cpf, purpose)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.crm_lease TO balcao_app;

-- The operator's list of events, newest first: of everybody, of one person, of one request.
CREATE INDEX crm_event_accepted ON registry.crm_event (accepted_at DESC, id DESC);
CREATE INDEX crm_event_of_person ON registry.crm_event (cpf, accepted_at DESC, id DESC);
CREATE INDEX crm_event_of_request ON registry.crm_event (request_id);
CREATE INDEX crm_event_oldest_waiting ON registry.crm_event (accepted_at) WHERE applied_at IS NULL;
CREATE INDEX crm_event_applied ON registry.crm_event (applied_at) WHERE applied_at IS NOT NULL;

-- What lies ahead of the clock is rare and counted often: the newest end of the index tells.
CREATE INDEX register_at ON registry.register (at);
