-- The monthly partitions of the audit events.

-- Create the partition of this month and of the `months` after it. Events that were already stored for such a month
-- move from the default partition to the new one.
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

-- Drop the months that end before the given time, and return how many events they contained.
CREATE OR REPLACE FUNCTION platform.drop_audit_months(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- Two years, so that writes find their month even if the worker prepares none for a long time.
SELECT platform.prepare_audit_months(24);
