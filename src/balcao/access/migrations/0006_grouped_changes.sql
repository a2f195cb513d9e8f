-- As before, but a member or an item that holds no other is written where it stands: a call of a function each was most
-- of what an event cost under the catalogue's lock.
CREATE OR REPLACE FUNCTION access.canonical(document jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE jsonb_typeof(document)
        WHEN 'object' THEN '{' || coalesce((
            SELECT string_agg(
                to_json(member.key)::text || ':' || CASE
                    WHEN jsonb_typeof(member.value) IN ('object', 'array') THEN access.canonical(member.value)
                    ELSE member.value::text END, ','
                ORDER BY member.key COLLATE "C")
            FROM jsonb_each(document) AS member), '') || '}'
        WHEN 'array' THEN '[' || coalesce((
            SELECT string_agg(CASE
                    WHEN jsonb_typeof(item.value) IN ('object', 'array') THEN access.canonical(item.value)
                    ELSE item.value::text END, ',' ORDER BY item.ordinality)
            FROM jsonb_array_elements(document) WITH ORDINALITY AS item), '') || ']'
        ELSE document::text
    END
$$;

-- Several changes that share a commit: each event makes a version of its own. Answers the versions, in their order.
CREATE FUNCTION access.record_each(events jsonb) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    versions bigint[] := '{}';
    given    jsonb;
BEGIN
    FOR given IN SELECT value FROM jsonb_array_elements(events) WITH ORDINALITY ORDER BY ordinality LOOP
        versions := versions || access.record_changes(jsonb_build_array(given));
    END LOOP;
    RETURN versions;
END $$;

GRANT EXECUTE ON FUNCTION access.record_each(jsonb) TO balcao_app;
