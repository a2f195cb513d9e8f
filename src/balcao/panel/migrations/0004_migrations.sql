-- By which the panel knows in a process of its own whether its schema is up to date: its role sees no other one. DISTINCT, so that nobody
-- writes through it.
CREATE VIEW console.migration AS SELECT DISTINCT owner, name, digest FROM platform.migration WHERE owner = 'console';
