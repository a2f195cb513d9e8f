-- Files that citizens send. The content is in a folder or in a bucket, under the name of the id. A row is written after
-- the content and deleted before it, so a row always has its content.
CREATE TABLE registry.citizen_file (
    cpf          text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id           uuid        NOT NULL,
    media_type   text        NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'application/pdf')),
    size         integer     NOT NULL CHECK (size > 0),
    digest       bytea       NOT NULL CHECK (octet_length(digest) = 32),
    width        integer,
    height       integer,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Since when no record refers to the file; null if a record does.
    unused_since timestamptz DEFAULT clock_timestamp(),
    PRIMARY KEY (cpf, id)
);
CREATE INDEX citizen_file_unused ON registry.citizen_file (unused_since) WHERE unused_since IS NOT NULL;
-- For the comparison with the storage, and for copies of files that are newer than the last copy.
CREATE INDEX citizen_file_id ON registry.citizen_file (id);
CREATE INDEX citizen_file_created ON registry.citizen_file (created_at, id);

-- Which records refer to a file: the kind of record, and its id.
CREATE TABLE registry.file_use (
    cpf       text NOT NULL,
    file_id   uuid NOT NULL,
    holder    text NOT NULL CHECK (holder ~ '^[a-z_]{1,40}$'),
    holder_id uuid NOT NULL,
    PRIMARY KEY (cpf, file_id, holder, holder_id),
    FOREIGN KEY (cpf, file_id) REFERENCES registry.citizen_file (cpf, id)
);
CREATE INDEX file_use_holder ON registry.file_use (holder_id, holder);

-- Files whose row is deleted and whose content is to be deleted.
CREATE TABLE registry.deleted_file (
    id         uuid        PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How many files a person has, and their bytes, once no other call can add one until the transaction ends. A volatile
-- function, because they are counted under the lock (see 0012).
CREATE FUNCTION registry.hold_own_files(person text, OUT files bigint, OUT bytes bigint) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('registry.citizen_file ' || person, 0));
    SELECT count(*), coalesce(sum(size), 0) INTO files, bytes FROM registry.citizen_file WHERE cpf = person;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.citizen_file TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.file_use TO balcao_app;
GRANT SELECT, INSERT, DELETE ON registry.deleted_file TO balcao_app;
