-- A job's row of `application_tally` is made once a statement, and described again only when what it says has changed:
-- an import inserts hundreds of jobs at once, and every save of a job names its department and state (rules:
-- employability 2.7, 3.3). One transaction, so that no older process inserts a job between the two triggers.
CREATE FUNCTION employability.add_tallies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO employability.application_tally (id_vaga, department, overlay)
    SELECT id, id_orgao_parceiro, employability.overlay(status, deleted_at) FROM added;
    RETURN NULL;
END $$;
DROP TRIGGER describe_tally ON employability.job;
CREATE TRIGGER tally_added AFTER INSERT ON employability.job
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.add_tallies();
CREATE TRIGGER describe_tally AFTER UPDATE OF id_orgao_parceiro, status, deleted_at ON employability.job
FOR EACH ROW WHEN ((OLD.id_orgao_parceiro, OLD.status, OLD.deleted_at)
    IS DISTINCT FROM (NEW.id_orgao_parceiro, NEW.status, NEW.deleted_at))
EXECUTE FUNCTION employability.describe_tally();
