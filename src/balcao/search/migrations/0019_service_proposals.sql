-- Changes that editors propose over published services, until somebody publishes or withdraws them (rules: search 3.7).
CREATE TABLE search.service_proposals (
    id                uuid PRIMARY KEY,
    service_id        uuid NOT NULL REFERENCES search.service_head,
    base_version      int NOT NULL CHECK (base_version >= 1),
    revision          int NOT NULL DEFAULT 1 CHECK (revision >= 1),
    awaiting_approval boolean NOT NULL,
    content           jsonb NOT NULL,
    changed_fields    text[] NOT NULL CHECK (cardinality(changed_fields) >= 1),
    change_reason     text CHECK (char_length(change_reason) BETWEEN 3 AND 500),
    created_at        timestamptz NOT NULL DEFAULT now(),
    created_by        text NOT NULL,
    created_by_sub    text NOT NULL,
    updated_at        timestamptz NOT NULL DEFAULT now(),
    updated_by        text NOT NULL,
    returned_at       timestamptz,
    returned_by       text,
    returned_reason   text CHECK (char_length(returned_reason) BETWEEN 3 AND 500),
    CHECK ((returned_at IS NULL) = (returned_by IS NULL) AND (returned_at IS NULL) = (returned_reason IS NULL))
);
CREATE INDEX service_proposals_service ON search.service_proposals (service_id, updated_at, id);
CREATE INDEX service_proposals_author ON search.service_proposals (created_by_sub);
CREATE INDEX service_proposals_order ON search.service_proposals (updated_at, id);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_proposals TO balcao_app;

-- Who proposed what a version published.
ALTER TABLE search.service_versions ADD COLUMN proposed_by text;
