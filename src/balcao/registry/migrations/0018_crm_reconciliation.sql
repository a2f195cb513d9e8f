-- How far a reconciliation with the CRM got (registry document, 4.12): whose records changed is asked for page by page,
-- and the place is kept with the events of each page. Nothing of a person stands here.
CREATE TABLE registry.crm_reconciliation (
    id           uuid        PRIMARY KEY,
    since        timestamptz NOT NULL CHECK (isfinite(since)),
    source       text        NOT NULL CHECK (source IN ('accounts', 'consents', 'requests')),
    moment       timestamptz NOT NULL CHECK (isfinite(moment)),
    skip         int         NOT NULL DEFAULT 0 CHECK (skip >= 0),
    page         int         NOT NULL DEFAULT 0,
    people       bigint      NOT NULL DEFAULT 0,
    events       bigint      NOT NULL DEFAULT 0,
    refused      bigint      NOT NULL DEFAULT 0,
    state        text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'abandoned')),
    request_id   text        NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz CHECK ((finished_at IS NULL) = (state = 'running'))
);
-- One run at a time.
CREATE UNIQUE INDEX crm_reconciliation_running ON registry.crm_reconciliation (state) WHERE state = 'running';
GRANT SELECT, INSERT, UPDATE ON registry.crm_reconciliation TO balcao_app;
