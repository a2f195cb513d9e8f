-- Heads of services are never deleted, so the reference guards nothing. The last release empties a catalogue without knowing
-- of proposals, which a reference refuses: `make previous` found it.
ALTER TABLE search.service_proposals DROP CONSTRAINT service_proposals_service_id_fkey;
