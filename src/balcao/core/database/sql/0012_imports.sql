-- The last import of each kind: the file, and what of it has been committed. Of the file only its digest is kept.
CREATE TABLE platform.import (
    kind         text PRIMARY KEY,
    sha256       bytea NOT NULL,
    size         bigint NOT NULL,
    source       text NOT NULL,
    byte_offset  bigint NOT NULL,
    lines        bigint NOT NULL,
    changed      bigint NOT NULL,
    unchanged    bigint NOT NULL,
    refused      bigint NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT now(),
    committed_at timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz
);
