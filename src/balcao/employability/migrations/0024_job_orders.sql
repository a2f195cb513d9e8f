-- Visitors order published jobs by deadline and by salary, and filter them by salary, schooling and area of training
-- (rules: employability 2.6). What the lists filter by stands in the index that orders them.
CREATE FUNCTION employability.folded_all(texts text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(employability.folded(each)), '{}') FROM unnest(texts) AS each
$$;
GRANT EXECUTE ON FUNCTION employability.folded_all TO balcao_app;

DROP INDEX employability.job_published;
CREATE INDEX job_published ON employability.job (publicado_em DESC, id)
    INCLUDE (status, data_limite, id_contratante, id_regime_contratacao, id_modelo_trabalho, acessibilidade_pcd,
        valor_vaga, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_deadline ON employability.job (data_limite, id)
    INCLUDE (status, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho, acessibilidade_pcd,
        valor_vaga, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_salary ON employability.job (valor_vaga DESC NULLS LAST, id)
    INCLUDE (status, data_limite, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho,
        acessibilidade_pcd, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_training ON employability.job
    USING gin (employability.folded_all(areas_formacao_elegibilidade))
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL AND areas_formacao_elegibilidade <> '{}';
