-- The triggers that keep `bank_tally` equal to the number of people who have a resume and accepted a version of the
-- terms (rules: employability 2.11).

-- Lock the shards of these people until the commit, in one order, so that two statements never deadlock.
--
-- Snapshot: a person can create a resume and accept the terms in two concurrent transactions. The second waits here.
-- Its next query then sees the row of the first, so the person is counted exactly once.
CREATE OR REPLACE FUNCTION employability.lock_bank_tally(people text[]) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('employability.bank_tally' || shard, 0))
    FROM (SELECT DISTINCT right(person, 2) AS shard FROM unnest(people) AS person ORDER BY 1) AS ordered
$$;

-- Add the numbers to the tallies of the versions. A number can be negative.
CREATE OR REPLACE FUNCTION employability.add_to_bank_tally(versions text[], people text[], numbers integer[])
RETURNS void LANGUAGE sql AS $$
    INSERT INTO employability.bank_tally AS tally (version, shard, number)
    SELECT version, right(person, 2), sum(number)
    FROM unnest(versions, people, numbers) AS change (version, person, number)
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (version, shard) DO UPDATE SET number = tally.number + excluded.number
$$;

-- A resume counts if the person has accepted the terms.
CREATE OR REPLACE FUNCTION employability.tally_added_resumes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM added;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(1))
    FROM added JOIN employability.terms_acceptance USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_added AFTER INSERT ON employability.resume
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_resumes();

CREATE OR REPLACE FUNCTION employability.tally_removed_resumes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM removed;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(-1))
    FROM removed JOIN employability.terms_acceptance USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_removed AFTER DELETE ON employability.resume
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_resumes();

-- An acceptance counts if the person has a resume.
CREATE OR REPLACE FUNCTION employability.tally_added_acceptances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM added;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(1))
    FROM added JOIN employability.resume USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_added AFTER INSERT ON employability.terms_acceptance
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_acceptances();

CREATE OR REPLACE FUNCTION employability.tally_removed_acceptances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM employability.lock_bank_tally(array_agg(cpf)) FROM removed;
    PERFORM employability.add_to_bank_tally(array_agg(version), array_agg(cpf), array_agg(-1))
    FROM removed JOIN employability.resume USING (cpf) HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tally_removed AFTER DELETE ON employability.terms_acceptance
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_acceptances();

-- An update replaces the accepted version. PostgreSQL runs triggers in the order of their names: the old version is
-- subtracted first, and the new one is added after that.
CREATE OR REPLACE TRIGGER tally_replaced AFTER UPDATE ON employability.terms_acceptance
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_removed_acceptances();
CREATE OR REPLACE TRIGGER tally_replacing AFTER UPDATE ON employability.terms_acceptance
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION employability.tally_added_acceptances();
