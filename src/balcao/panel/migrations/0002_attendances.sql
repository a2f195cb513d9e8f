-- Whom somebody serves at the moment, and why: the address of a page has the number, and never a CPF. It belongs to the
-- session that began it, and goes with it.
CREATE TABLE console.attendance (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key bytea NOT NULL REFERENCES console.session (key) ON DELETE CASCADE,
    content     bytea NOT NULL,             -- sealed: the person's CPF, and the reason
    used_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX attendance_session ON console.attendance (session_key);
