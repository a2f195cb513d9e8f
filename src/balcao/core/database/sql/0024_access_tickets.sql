-- One-use tickets, which stand for a token where none can be sent (a browser's EventSource has no headers). The row is
-- found by the ticket's hash, and `sealed` is read by the ticket alone: whoever sees the table learns neither.
CREATE TABLE platform.access_ticket (
    digest     bytea       PRIMARY KEY,
    operation  text        NOT NULL,
    sealed     text        NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON COLUMN platform.access_ticket.operation IS 'the one operation that the ticket opens';
COMMENT ON COLUMN platform.access_ticket.sealed IS 'who holds it and the parameters it was asked for, encrypted (JWE)';
CREATE INDEX access_ticket_age ON platform.access_ticket (expires_at);

-- UPDATE for the locks that keep two sweeps of expired tickets apart.
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.access_ticket TO balcao_app;
