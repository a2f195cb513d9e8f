-- Where a reconciliation continues among records that changed in the same second. `skip` stays for processes of the last
-- release, which count the records of that second anew.
ALTER TABLE registry.crm_reconciliation ADD COLUMN after_id text NOT NULL DEFAULT '';
