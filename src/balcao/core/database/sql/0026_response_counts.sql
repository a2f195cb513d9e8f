-- How many calls each service answered, and how: of every five minutes for a week, of every day for a year. Processes
-- add what they counted to the rows of both every few seconds; no row is about a caller.
CREATE TABLE platform.response_count (
    span      text             NOT NULL CHECK (span IN ('5m', 'day')),
    starts_at timestamptz      NOT NULL,
    service   text             NOT NULL,
    responses bigint           NOT NULL,
    refusals  bigint           NOT NULL,
    faults    bigint           NOT NULL,
    slow      bigint           NOT NULL,
    seconds   double precision NOT NULL,
    PRIMARY KEY (span, starts_at, service)
);
COMMENT ON COLUMN platform.response_count.starts_at IS 'of a day the midnight with which it begins in the city';
COMMENT ON COLUMN platform.response_count.service IS 'as metrics name it';
COMMENT ON COLUMN platform.response_count.refusals IS 'answered by a status from 400 to 499';
COMMENT ON COLUMN platform.response_count.faults IS 'answered by a status from 500';
COMMENT ON COLUMN platform.response_count.slow IS 'answered after more than half a second';
COMMENT ON COLUMN platform.response_count.seconds IS 'that all of the responses took together';

GRANT SELECT, INSERT, UPDATE, DELETE ON platform.response_count TO balcao_app;
