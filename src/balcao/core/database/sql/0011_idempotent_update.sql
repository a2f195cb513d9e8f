-- A key that was used before the time that answers are kept is taken anew in one step.
GRANT UPDATE ON platform.idempotent_answer TO balcao_app;
