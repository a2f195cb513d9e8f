-- Blank rows of the file, so that the counts of an import add up to the rows that were read.
ALTER TABLE platform.import ADD COLUMN skipped bigint NOT NULL DEFAULT 0;
GRANT SELECT (skipped) ON platform.import TO balcao_app;
