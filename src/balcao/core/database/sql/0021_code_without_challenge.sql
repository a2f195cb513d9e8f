-- A confidential client proves itself with its secret and may leave the challenge out: of codes and refresh tokens only
-- the address now tells which is which.
ALTER TABLE platform.identity_credential
    DROP CONSTRAINT identity_credential_check,
    ADD CONSTRAINT identity_credential_kind CHECK (challenge IS NULL OR redirect_uri IS NOT NULL);
COMMENT ON COLUMN platform.identity_credential.challenge IS 'of a code; null where the client sent none';
COMMENT ON COLUMN platform.identity_credential.redirect_uri IS 'of a code; a refresh token has none';
