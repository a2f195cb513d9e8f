-- Imports are the platform's now, for every service: an import that was cut short before this goes on after it.
INSERT INTO platform.import (kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused,
                             started_at, committed_at, finished_at)
SELECT kind, sha256, size, source, byte_offset, lines, changed, unchanged, refused,
       started_at, committed_at, finished_at
FROM registry.import;
DROP TABLE registry.import;
