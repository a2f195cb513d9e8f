"""The rights that control the pages and buttons of the area."""

READ, CREATE, ACTIVATE = "agent_config:read", "agent_config:create", "agent_config:activate"
DATA_READ, DATA_MANAGE = "dataset:read", "dataset:manage"
WEBHOOK_MANAGE = "agent_webhook:manage"
