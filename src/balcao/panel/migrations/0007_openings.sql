-- Each time that a form was shown in which typed text is kept: once it was sent, what comes late of it is kept no more.
CREATE TABLE console.form_opening (
    id         uuid PRIMARY KEY,            -- in the sealed place of the page
    is_over    boolean NOT NULL,
    touched_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX form_opening_touched ON console.form_opening (touched_at);
