"""Read a citizen's wallet. A machine sees only the members that its scopes cover."""

from zoneinfo import ZoneInfo

from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values import days
from balcao.core.values.cpf import Cpf
from balcao.registry.person.wallet import store
from balcao.registry.person.wallet.schemas import SINGLE_REGISTRY_DATES, ImportedWallet, Wallet

# The members that each scope covers (rules: registry 2.2).
COVERED = {
    "rmi:pessoa-fisica:read": ("documentos", "assistencia_social"),
    "sms:read": ("saude",),
    "sme:read": ("educacao",),
}
MEMBERS = ImportedWallet.__struct_fields__


async def read_wallet(call: Call, cpf: Cpf) -> Wallet:
    """Return the wallet. Raises NotFound if nothing is stored about the citizen, unless the caller is the owner."""
    covered = _list_covered(call)
    async with call.reading(cpf, covered) as source:
        stored = await store.read_stored_wallet(source, cpf)
    if not stored.known and not call.is_owner:
        raise NotFound("Não há cadastro deste cidadão.", code="citizen-unknown")
    formatted = _format_dates(stored.wallet or ImportedWallet(), call.zone)
    return Wallet(cpf=cpf.digits, **{name: getattr(formatted, name) for name in MEMBERS if name in covered})


def _list_covered(call: Call) -> list[str]:
    if call.decision.reason is not Reason.SCOPE:
        return list(MEMBERS)
    granted = [COVERED[scope] for scope in COVERED if scope in call.identified_caller.scopes]
    return [name for names in granted for name in names]


async def read_imported_wallet(connection: Connection, cpf: Cpf) -> ImportedWallet | None:
    """Return the wallet as imported, or None if the citizen has none."""
    return (await store.read_stored_wallet(connection, cpf)).wallet


def _format_dates(wallet: ImportedWallet, zone: ZoneInfo) -> ImportedWallet:
    assistance = wallet.assistencia_social
    if assistance is not None and assistance.cadunico is not None:
        assistance.cadunico = days.format_days(assistance.cadunico, SINGLE_REGISTRY_DATES, zone)
    return wallet
