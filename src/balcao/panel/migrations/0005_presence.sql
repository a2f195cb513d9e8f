-- Who has a form open that two may edit: by its address, for two minutes after the page was last heard of.
CREATE TABLE console.presence (
    place       bytea NOT NULL,             -- SHA-256 of the address
    subject_key bytea NOT NULL,             -- whose it is, as in console.session
    name        bytea NOT NULL,             -- sealed
    seen_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (place, subject_key)
);
CREATE INDEX presence_seen ON console.presence (seen_at);
