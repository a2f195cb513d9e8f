-- The schema has the name of the package. Views keep the old names for processes of the release before, which still run
-- while this one starts.
CREATE SCHEMA panel;
ALTER TABLE console.session SET SCHEMA panel;
ALTER TABLE console.draft SET SCHEMA panel;
ALTER TABLE console.attendance SET SCHEMA panel;
ALTER TABLE console.bulk_decision SET SCHEMA panel;
ALTER TABLE console.presence SET SCHEMA panel;
ALTER TABLE console.form_opening SET SCHEMA panel;

CREATE VIEW panel.migration AS SELECT DISTINCT owner, name, digest FROM platform.migration WHERE owner = 'panel';

CREATE VIEW console.session AS SELECT * FROM panel.session;
CREATE VIEW console.draft AS SELECT * FROM panel.draft;
CREATE VIEW console.attendance AS SELECT * FROM panel.attendance;
CREATE VIEW console.bulk_decision AS SELECT * FROM panel.bulk_decision;
CREATE VIEW console.presence AS SELECT * FROM panel.presence;
CREATE VIEW console.form_opening AS SELECT * FROM panel.form_opening;
CREATE OR REPLACE VIEW console.migration AS
    SELECT DISTINCT 'console' AS owner, name, digest FROM platform.migration WHERE owner = 'panel' AND name < '0009';

DO $$
DECLARE
    holder text;
BEGIN
    FOR holder IN
        SELECT grantee::regrole FROM pg_namespace, aclexplode(nspacl)
        WHERE nspname = 'console' AND grantee NOT IN (0, nspowner) AND privilege_type = 'USAGE'
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA console TO %s', holder);
    END LOOP;
END $$;
