-- A change of one service in few round trips (search document, 4.3 and 4.4, step 1).

-- Enters the collection, locks the service's head and reads its row in the form of the programs, in this order and each
-- in a statement of its own, whose snapshot is younger than the wait before it. With `created` the head is made first.
-- Without a head the version is null, without a row `doc`.
CREATE FUNCTION search.open_service(
    wanted uuid, program_version text, created timestamptz,
    OUT physical text, OUT mirror text, OUT schema_version text, OUT fold_revision int, OUT generation int,
    OUT newest_version int, OUT created_at timestamptz, OUT deleted boolean,
    OUT doc text, OUT carried text, OUT version int)
LANGUAGE plpgsql AS $$
DECLARE
    active search.search_collection;
    head   search.service_head;
BEGIN
    active := search.enter_collection();
    physical := active.physical;
    mirror := active.mirror;
    schema_version := active.schema_version;
    fold_revision := active.fold_revision;
    generation := active.generation;
    IF created IS NOT NULL THEN
        INSERT INTO search.service_head (id, created_at) VALUES (wanted, created) ON CONFLICT (id) DO NOTHING;
    END IF;
    SELECT * INTO head FROM search.service_head WHERE id = wanted FOR UPDATE;
    newest_version := head.next_version - 1;
    created_at := head.created_at;
    deleted := head.deleted_at IS NOT NULL;
    IF newest_version > 0 AND physical IS NOT NULL THEN
        EXECUTE format('SELECT stepped.doc::text, stepped.carried::text, stored.version'
                       ' FROM search.%I AS stored, search.step(stored.id, stored.doc, stored.carried, $2, $3) AS stepped'
                       ' WHERE stored.id = $1', physical)
            INTO doc, carried, version USING wanted, schema_version, program_version;
    END IF;
END $$;

-- Gives a service its address: `given`, when no other service has it, else one of its name and its id, of which a part
-- that another service has too is lengthened. Null when all are taken. `former` are its addresses before.
CREATE FUNCTION search.take_slug(wanted uuid, service_name text, given text, OUT taken text, OUT former text[])
LANGUAGE plpgsql AS $$
DECLARE
    candidate text;
BEGIN
    UPDATE search.service_slugs SET current = false WHERE service_id = wanted AND current;
    FOREACH candidate IN ARRAY array_remove(ARRAY[
        given, search.slug_of(service_name, wanted, 8), search.slug_of(service_name, wanted, 13),
        search.slug_of(service_name, wanted, 36)], NULL)
    LOOP
        INSERT INTO search.service_slugs (slug, service_id, current) VALUES (candidate, wanted, true)
        ON CONFLICT (slug) DO UPDATE SET current = true WHERE service_slugs.service_id = excluded.service_id
        RETURNING slug INTO taken;
        EXIT WHEN taken IS NOT NULL;
    END LOOP;
    former := ARRAY(SELECT slug FROM search.service_slugs WHERE service_id = wanted AND NOT current ORDER BY slug);
END $$;

REVOKE EXECUTE ON FUNCTION search.open_service, search.take_slug FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.open_service, search.take_slug TO balcao_app;
