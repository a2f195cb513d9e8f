-- Those who were erased are listed every few seconds beside the backups (rules: registry 4.9).
CREATE INDEX mirror_head_tombstones ON registry.mirror_head (cpf) INCLUDE (anonymised_at) WHERE anonymised_at IS NOT NULL;
