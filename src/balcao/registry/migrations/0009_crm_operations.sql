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

-- The operator's list of events, newest first: ids grow with time, so the primary key serves everybody's. Events are
-- appended, so a few bytes for each range of pages find the times.
CREATE INDEX crm_event_of_person ON registry.crm_event (cpf, id DESC);
CREATE INDEX crm_event_of_request ON registry.crm_event (request_id);
CREATE INDEX crm_event_times ON registry.crm_event USING brin (accepted_at, applied_at) WITH (autosummarize = on);
CREATE INDEX crm_event_oldest_waiting ON registry.crm_event (accepted_at) WHERE applied_at IS NULL;

-- What lies ahead of the clock is rare: ranges of pages without it are passed over, and updates stay as cheap as before.
CREATE INDEX register_times ON registry.register USING brin (at) WITH (autosummarize = on);

CREATE INDEX outbox_oldest ON registry.outbox (first_change_at);
