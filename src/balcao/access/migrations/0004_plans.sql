-- A plan of the catalogue as code, until it is applied or too old.
CREATE TABLE access.plan (
    id           uuid PRIMARY KEY,
    base_version bigint NOT NULL,
    document     jsonb NOT NULL,
    prune        boolean NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, DELETE ON access.plan TO balcao_app;
