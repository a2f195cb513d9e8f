SELECT config_id::text, agent_type, version, memory_blocks, tools, model_name, embedding_name, created_at
FROM agents.agent_versions WHERE config_id = $1
