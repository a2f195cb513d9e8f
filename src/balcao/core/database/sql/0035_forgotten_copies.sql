-- A restored database does not know the copies of its former life: `balcao backup restore` deletes their notes.
GRANT DELETE ON platform.backup TO balcao_app;
