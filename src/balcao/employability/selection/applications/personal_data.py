"""Applications as personal data: exported whole; of an erased one stays that it was made (rules: employability 5.4)."""

from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows, retain_rows
from balcao.employability.selection.applications import store
from balcao.employability.selection.applications.exported import ExportedApplication

ERASED = ["nome", "email", "respostas_info_complementares", "curriculo_snapshot", "historico.motivo"]
BASIS = (
    "Registro do processo seletivo, sem nome, contato, respostas, currículo e motivos, até o fim do prazo de guarda."
)

PERSONAL_DATA = PersonalData(
    "applications",
    [
        ExportMember(
            "candidaturas",
            list[ExportedApplication],
            "As candidaturas da pessoa, com respostas, currículo e o que houve nelas.",
            202,
            store.list_exported_applications,
        )
    ],
    erase_rows("applications", store.erase_applications, ERASED),
    retain_rows("applications", store.count_applications, BASIS),
    tables=["employability.application"],
)
