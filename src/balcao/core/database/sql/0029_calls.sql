-- The last calls of each client, for those who write it: which operation, how it ended, and nothing of what was sent or
-- answered. Written in batches, a thousand for each client at most, and for a week.
CREATE TABLE platform.call (
    issuer       text        NOT NULL,
    client       text        NOT NULL,
    called_at    timestamptz NOT NULL,
    operation    text        NOT NULL,
    status       smallint    NOT NULL,
    code         text,
    request_id   text        NOT NULL,
    microseconds integer     NOT NULL
);
COMMENT ON COLUMN platform.call.code IS 'the Error-Code; of a token that was refused, which check it failed';
CREATE INDEX call_of_client ON platform.call (issuer, client, called_at DESC);
CREATE INDEX call_age ON platform.call (called_at);

-- UPDATE for the locks that keep two processes from deleting the same rows.
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.call TO balcao_app;
