"""The sandbox's companies that advertise jobs (rules: employability 7)."""

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.employability.companies.imports import IMPORTS, CompanyRow

COMPANIES = (
    CompanyRow(
        "Padaria Aurora Ltda.", "90000001000129", "Padaria Aurora", "Pães e doces desde 1978.", setor="Alimentação"
    ),
    CompanyRow("Construtora Horizonte S.A.", "90000002000173", "Construtora Horizonte", setor="Construção"),
    CompanyRow("Estúdio Digital Maré Ltda.", "12ABC34501DE35", "Estúdio Digital Maré", setor="Tecnologia"),
    CompanyRow("Clínica Bem-Estar Ltda.", "90000003000118", "Clínica Bem-Estar", setor="Saúde"),
    CompanyRow("Transportes Ponte Nova Ltda.", "90000004000162", "Transportes Ponte Nova", setor="Logística"),
    CompanyRow(
        "Cais do Porto Refeições Ltda.",
        "90000005000107",
        "Restaurante Cais do Porto",
        "Cozinha do mar, no Farol.",
        setor="Alimentação",
    ),
    CompanyRow("Bom Vizinho Supermercados S.A.", "90000006000151", "Supermercados Bom Vizinho", setor="Comércio"),
)


async def load_demo_employers(platform: Platform) -> None:
    """Store companies that are missing, or that differ from the demo data."""
    await imports.import_rows(platform, IMPORTS[0], COMPANIES)
