-- Whether the queue has the job: waiting, running or parked. A function, so that a statement that has first waited for a
-- lock can ask what is true then: the queries of a volatile function see what was committed until they begin, the rest
-- of a statement only what was committed before it began.
CREATE FUNCTION platform.job_is_queued(job bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM queue.pgqueuer WHERE pgqueuer.id = job);
END $$;
