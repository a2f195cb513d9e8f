-- When somebody last asked who they are, to the day: who holds nothing and does not come any more is forgotten.
ALTER TABLE access.person ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();

-- Says that a running process serves these operations. What nobody says so of for a day is retired.
CREATE FUNCTION access.still_served(operations text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE access.endpoint_mapping SET announced_at = now() WHERE operation_key = ANY(operations)
$$;
GRANT EXECUTE ON FUNCTION access.still_served(text[]) TO balcao_app;
