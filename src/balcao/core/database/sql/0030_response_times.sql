-- How long responses took, by the bounds of the metrics' histogram: half of them, or nineteen of twenty, were answered
-- within a time that no mean tells. What was counted before has none.
ALTER TABLE platform.response_count ADD COLUMN times bigint[];
COMMENT ON COLUMN platform.response_count.times IS
    'responses within 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000 ms, each beyond the one before, and the rest';
