-- The lists of jobs count all that match: what they filter by stands in the index that orders them, texts in one of
-- their own, so that no list reads the wide rows from end to end (rules: employability 2.5, 2.6).
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- The pattern of a text that holds these words; the signs of a pattern are ordinary characters.
CREATE FUNCTION employability.containing(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(employability.folded(words), '([\\%_])', '\\\1', 'g') || '%';
GRANT EXECUTE ON FUNCTION employability.containing TO balcao_app;

DROP INDEX employability.job_newest, employability.job_published;
CREATE INDEX job_newest ON employability.job (created_at DESC, id)
    INCLUDE (status, data_limite, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho,
        acessibilidade_pcd, id_orgao_parceiro, criado_por)
    WHERE deleted_at IS NULL;
CREATE INDEX job_published ON employability.job (publicado_em DESC, id)
    INCLUDE (status, data_limite, id_contratante, id_regime_contratacao, id_modelo_trabalho, acessibilidade_pcd)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_title_search ON employability.job USING gin (titulo_folded public.gin_trgm_ops)
    WHERE deleted_at IS NULL;
CREATE INDEX job_neighbourhood_search ON employability.job USING gin (bairro_folded public.gin_trgm_ops)
    WHERE deleted_at IS NULL;
