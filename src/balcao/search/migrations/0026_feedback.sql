-- Whether the page of a service helped, without who said it (rules: search 2.7). `comments` counts those of the day, so
-- that their number is bounded without counting rows.
CREATE TABLE search.service_feedback_days (
    service_id  uuid NOT NULL REFERENCES search.service_head,
    day         date NOT NULL,
    helpful     int  NOT NULL CHECK (helpful >= 0),
    not_helpful int  NOT NULL CHECK (not_helpful >= 0),
    comments    int  NOT NULL CHECK (comments >= 0),
    PRIMARY KEY (service_id, day)
);
CREATE INDEX service_feedback_days_old ON search.service_feedback_days (day);

CREATE TABLE search.service_feedback (
    id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    service_id uuid NOT NULL REFERENCES search.service_head,
    at         timestamptz NOT NULL DEFAULT now(),
    helpful    boolean NOT NULL,
    comment    text NOT NULL CHECK (char_length(comment) BETWEEN 1 AND 300)
);
CREATE INDEX service_feedback_newest ON search.service_feedback (service_id, at DESC, id DESC);
CREATE INDEX service_feedback_old ON search.service_feedback (at);

GRANT SELECT, INSERT, DELETE ON search.service_feedback TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_feedback_days TO balcao_app;
