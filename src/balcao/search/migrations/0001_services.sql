-- What outlives every physical table of the collection: heads, slugs and versions (search document, 3.2 to 3.4).
CREATE SCHEMA search;
GRANT USAGE ON SCHEMA search TO balcao_app;

-- One row per service that ever existed. Writers lock it, so version numbers have no gap.
CREATE TABLE search.service_head (
    id           uuid PRIMARY KEY,
    next_version int NOT NULL DEFAULT 1 CHECK (next_version >= 1),
    created_at   timestamptz NOT NULL,
    deleted_at   timestamptz
);
GRANT SELECT, INSERT, UPDATE ON search.service_head TO balcao_app;

-- A slug is never deleted and never given to another service.
CREATE TABLE search.service_slugs (
    slug       text PRIMARY KEY,
    service_id uuid NOT NULL REFERENCES search.service_head,
    current    boolean NOT NULL
);
CREATE UNIQUE INDEX service_slugs_current ON search.service_slugs (service_id) WHERE current;
GRANT SELECT, INSERT, UPDATE (current) ON search.service_slugs TO balcao_app;

CREATE TABLE search.service_versions (
    id                  uuid PRIMARY KEY,
    service_id          uuid NOT NULL REFERENCES search.service_head,
    version_number      int NOT NULL CHECK (version_number >= 1),
    created_at          timestamptz NOT NULL,
    created_by          text NOT NULL,
    created_by_sub      text NOT NULL,
    created_by_cpf      text CHECK (created_by_cpf ~ '^\*{3}\.\d{3}\.\d{3}-\*{2}$'),
    change_type         text NOT NULL CHECK (change_type IN
        ('create', 'update', 'publish', 'unpublish', 'delete', 'rollback')),
    change_reason       text CHECK (char_length(change_reason) <= 20000),
    previous_version    int,
    is_rollback         boolean NOT NULL DEFAULT false,
    rollback_to_version int,
    snapshot            jsonb NOT NULL,
    CONSTRAINT service_versions_number UNIQUE (service_id, version_number),
    CHECK (is_rollback = (change_type = 'rollback') AND is_rollback = (rollback_to_version IS NOT NULL))
);
GRANT SELECT, INSERT ON search.service_versions TO balcao_app;

-- The readable part of a service's address (4.3) and the first `id_length` characters of its id.
-- The only place that computes it: the writers and the step to v3 call the same function.
CREATE FUNCTION search.slug_of(name text, id uuid, id_length int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    WITH plain AS (
        SELECT btrim(regexp_replace(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'))
                                    COLLATE "C", '[^a-z0-9]+', '-', 'g'), '-') AS words
    ), cut AS (
        SELECT CASE WHEN length(words) <= 50 THEN words
                    ELSE regexp_replace(left(words, 50), '-[^-]*$', '') END AS words
        FROM plain
    )
    SELECT CASE WHEN words = '' THEN '' ELSE words || '-' END || left(id::text, id_length) FROM cut
$$;
