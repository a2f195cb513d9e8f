-- The queue's tables are its library's; this index serves the operator's list of parked jobs, oldest first.
CREATE INDEX parked_jobs ON queue.pgqueuer (updated, id) WHERE status = 'failed';
