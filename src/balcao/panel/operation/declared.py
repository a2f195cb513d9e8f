"""The area's name and address, and the actions that its pages need."""

READ, WRITE = "jobs:read", "jobs:write"
CRM_READ, CRM_WRITE = "crm:read", "crm:write"
OPERATION = "operation:read"
LIMITS, MAINTENANCE = "limits:write", "maintenance:write"

AREA, BASE = "operation", "/operacao"
