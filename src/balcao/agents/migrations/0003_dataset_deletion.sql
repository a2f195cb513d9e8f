-- A data set that is deleted frees its name; its id and those of its examples stay taken. What deleted examples held is
-- removed by the retention, which sets their size to 0 (rules: agents 5).
ALTER TABLE agents.datasets ADD COLUMN deleted_at timestamptz;
ALTER TABLE agents.datasets DROP CONSTRAINT datasets_name_key;
CREATE UNIQUE INDEX datasets_name ON agents.datasets (name) WHERE deleted_at IS NULL;
CREATE INDEX datasets_newest ON agents.datasets (created_at DESC, id DESC) WHERE deleted_at IS NULL;
