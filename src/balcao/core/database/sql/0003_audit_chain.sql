-- Committed events join one chain, in batches, by the worker: no request waits for it. An event is hashed with the hash
-- of the one before it, so whoever changes or removes one later breaks the chain where it stands.
ALTER TABLE platform.audit_event
    ADD COLUMN seq bigint,
    ADD COLUMN prev_hash bytea,
    ADD COLUMN hash bytea,
    ADD CHECK ((seq IS NULL) = (hash IS NULL) AND (seq IS NULL) = (prev_hash IS NULL));
CREATE INDEX audit_event_waiting ON platform.audit_event (at, id) WHERE seq IS NULL;
CREATE INDEX audit_event_seq ON platform.audit_event (seq);
CREATE INDEX audit_event_at ON platform.audit_event (at DESC, id DESC);

-- The services write events; their place in the chain is not theirs to say.
REVOKE INSERT ON platform.audit_event FROM balcao_app;
GRANT INSERT (id, at, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, key_number, client,
              "grant", fields, reason, outcome) ON platform.audit_event TO balcao_app;

-- The chain's end, and where it begins since months were dropped: one row, whose lock also keeps two workers from
-- chaining at once.
CREATE TABLE platform.audit_chain (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq       bigint  NOT NULL,
    hash      bytea   NOT NULL,
    kept_from bigint  NOT NULL DEFAULT 1
);
INSERT INTO platform.audit_chain (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- The chain follows the order of commits, months the clock: what of a dropped month stands behind an event that is
-- still kept leaves its hash here, so that the chain can be followed across it.
CREATE TABLE platform.audit_dropped (
    seq  bigint PRIMARY KEY,
    hash bytea  NOT NULL
);
GRANT SELECT ON platform.audit_chain, platform.audit_dropped TO balcao_app;

CREATE FUNCTION platform.audit_hash(event platform.audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(event.prev_hash || convert_to(jsonb_build_array(
        event.seq, event.id, to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), event.request_id,
        event.operation, event.action, encode(event.subject_hash, 'hex'), event.subject, event.actor_kind,
        encode(event.actor_hash, 'hex'), event.key_number, event.client, event."grant", event.fields, event.reason,
        event.outcome)::text, 'UTF8'))
$$;

CREATE FUNCTION platform.chain_audit(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    last    platform.audit_chain;
    event   platform.audit_event;
    chained int := 0;
BEGIN
    SELECT * INTO STRICT last FROM platform.audit_chain FOR UPDATE;
    FOR event IN
        SELECT * FROM platform.audit_event WHERE audit_event.seq IS NULL ORDER BY audit_event.at, audit_event.id
        LIMIT most
    LOOP
        last.seq := last.seq + 1;
        event.seq := last.seq;
        event.prev_hash := last.hash;
        last.hash := platform.audit_hash(event);
        UPDATE platform.audit_event SET seq = last.seq, prev_hash = event.prev_hash, hash = last.hash
        WHERE audit_event.at = event.at AND audit_event.id = event.id;
        chained := chained + 1;
    END LOOP;
    UPDATE platform.audit_chain SET seq = last.seq, hash = last.hash;
    RETURN chained;
END $$;
REVOKE ALL ON FUNCTION platform.chain_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION platform.chain_audit TO balcao_app;

-- As before, and what was written into a month that nobody had prepared moves to its own partition.
CREATE OR REPLACE FUNCTION platform.prepare_audit_months(months int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    month date := date_trunc('month', now())::date;
    part  text;
BEGIN
    FOR step IN 0..months LOOP
        part := 'audit_event_' || to_char(month, 'YYYY_MM');
        IF to_regclass('platform.' || part) IS NULL THEN
            EXECUTE format('CREATE TABLE platform.%I (LIKE platform.audit_event INCLUDING ALL)', part);
            EXECUTE format(
                'WITH moved AS (DELETE FROM platform.audit_event_default WHERE at >= %L AND at < %L RETURNING *)'
                ' INSERT INTO platform.%I SELECT * FROM moved', month, month + interval '1 month', part);
            EXECUTE format('ALTER TABLE platform.audit_event ATTACH PARTITION platform.%I FOR VALUES FROM (%L) TO (%L)',
                           part, month, month + interval '1 month');
        END IF;
        month := month + interval '1 month';
    END LOOP;
END $$;

-- Drops the months that lie wholly before the time and answers how many events went with them.
CREATE FUNCTION platform.drop_audit_months(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    part    text;
    first   bigint := (SELECT min(seq) FROM platform.audit_event WHERE at >= date_trunc('month', before));
    found   bigint;
    dropped bigint := 0;
BEGIN
    FOR part IN
        SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'platform.audit_event'::regclass AND relname ~ '^audit_event_\d{4}_\d{2}$'
          AND to_date(right(relname, 7), 'YYYY_MM') + interval '1 month' <= before
        ORDER BY relname
    LOOP
        EXECUTE format('INSERT INTO platform.audit_dropped SELECT seq, hash FROM platform.%I WHERE seq > $1', part)
        USING first;
        EXECUTE format('SELECT count(*) FROM platform.%I', part) INTO found;
        EXECUTE format('DROP TABLE platform.%I', part);
        dropped := dropped + found;
    END LOOP;
    UPDATE platform.audit_chain SET kept_from = coalesce(first, seq + 1);
    DELETE FROM platform.audit_dropped WHERE seq < (SELECT kept_from FROM platform.audit_chain);
    RETURN dropped;
END $$;

-- What the nightly application of the retention rules found and erased: one row per kind.
CREATE TABLE platform.retention_report (
    run     uuid        NOT NULL,
    kind    text        NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked bigint      NOT NULL,
    removed bigint      NOT NULL,
    PRIMARY KEY (run, kind)
);
CREATE INDEX retention_report_at ON platform.retention_report (at DESC);
GRANT SELECT ON platform.retention_report TO balcao_app;
