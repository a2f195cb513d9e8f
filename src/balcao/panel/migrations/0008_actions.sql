-- The actions that the person held at the session's last page. They decide which large form is read, and whose text is
-- kept once the session has ended and no service can be asked any more.
ALTER TABLE console.session ADD COLUMN actions bytea;         -- sealed
