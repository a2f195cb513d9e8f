-- Return whether the queue contains the job: waiting, running or dead-lettered.
--
-- Snapshot: a statement sees only what was committed before it started. The queries of a volatile function also see
-- what was committed until they start. A statement that has waited for a lock can therefore ask for the current state.
CREATE OR REPLACE FUNCTION platform.job_is_queued(job bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM queue.pgqueuer WHERE pgqueuer.id = job);
END $$;
