"""A person's consents in the CRM: one record for each category and channel."""

from balcao.core.values.cpf import Cpf
from balcao.crm.client import Account, CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.fields import Record
from balcao.crm.objects import CONSENT

KEY = "Chave__c"


async def upsert_consent(crm: CrmClient, cpf: Cpf, account: Account, consent: Record, deadline: Deadline) -> None:
    """Create or update the consent for `categoria` and `canal`, each of which may be an empty string.

    Raises the same errors as the client.
    """
    key = "|".join((cpf.digits, consent["categoria"], consent["canal"]))
    fields = {crm.fields.consent[name]: value or None for name, value in consent.items()}
    owner = {"Conta__c": account.id, "CPF__c": cpf.digits}
    await crm.write("PATCH", (CONSENT, KEY, key), fields | owner, deadline)
