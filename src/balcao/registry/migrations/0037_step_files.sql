-- The files of a citizen's answer to a question of the city. The last release writes only steps without files.
ALTER TABLE registry.request_step ADD COLUMN files uuid[] NOT NULL DEFAULT '{}';
