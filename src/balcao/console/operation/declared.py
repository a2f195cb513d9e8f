"""The area's pages, and the actions that they need."""

from balcao.console.declaration import Pages

READ, WRITE = "jobs:read", "jobs:write"
CRM_READ, CRM_WRITE = "crm:read", "crm:write"
OPERATION = "operation:read"
LIMITS, MAINTENANCE = "limits:write", "maintenance:write"

pages = Pages("operation", "/operacao")
