-- The last call that sent a known event of the CRM again, so that its sender finds the event by the id of that call
-- (registry document, 4.1). No foreign key: a check of the event would wait for the job that applies it.
CREATE TABLE registry.crm_event_repeat (
    event_id    uuid PRIMARY KEY,
    request_id  text NOT NULL,
    repeated_at timestamptz NOT NULL
);
CREATE INDEX crm_event_repeat_of_request ON registry.crm_event_repeat (request_id);
GRANT SELECT, INSERT, UPDATE ON registry.crm_event_repeat TO balcao_app;
