-- How many e-mails went to an address and by a citizen within a day is counted before the next one is sent.
CREATE INDEX vehicle_conductor_mailed ON registry.vehicle_conductor (notify_email, email_attempted_at)
WHERE email_attempted_at IS NOT NULL;
CREATE INDEX vehicle_conductor_mailer ON registry.vehicle_conductor (invited_by_cpf, email_attempted_at)
WHERE email_attempted_at IS NOT NULL;
