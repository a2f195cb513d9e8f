-- What was sent to the CRM before the last value, by a push or a login whose response did not come or whose echo is still
-- on its way: when the CRM tells it back, that is not its own word (registry document, 4.2). Newest first, at most eight.
ALTER TABLE registry.register ADD COLUMN pushed_before jsonb[];
ALTER TABLE registry.login_write ADD COLUMN earlier_sha256 bytea[] NOT NULL DEFAULT '{}';
