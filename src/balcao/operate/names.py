"""Facts about the services for command help and the supervisor, which must not import the services.

Tests check these facts.
"""

SERVICES = ("access", "registry", "employability", "search", "health_units", "agents", "agent_docs")
EXPORTED_SERVICES = ("access", "registry", "employability", "search", "health_units", "agents")
# The kinds of rows that each service imports.
IMPORT_KINDS = {
    "registry": (
        "citizens",
        "tickets",
        "pets",
        "departments",
        "cnaes",
        "companies",
        "vehicle-brands",
        "vehicle-models",
    ),
    "employability": ("reference-values", "behaviours", "skills", "employers", "jobs"),
    "search": ("services",),
    "health_units": ("units", "notifications"),
    "agents": ("versions", "datasets", "examples"),
}
LAST_AUDIT_NUMBER = 2**62
MAINTENANCE_MESSAGE = "Serviço em manutenção. Tente de novo mais tarde."
