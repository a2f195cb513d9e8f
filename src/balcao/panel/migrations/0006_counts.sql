-- How much waits for the person at the navigation's entries: read by the first page, and behind another one now and then.
ALTER TABLE console.session ADD COLUMN counts bytea;          -- sealed: the numbers, and the rights that they were read with
ALTER TABLE console.session ADD COLUMN counted_at timestamptz;
