"""Read agent prompts, and check a prompt before it is saved (rules: agents 2.2)."""

from balcao.agents.prompts import store
from balcao.agents.prompts.check import find_problems
from balcao.agents.prompts.schemas import CheckedPrompt, PromptToCheck, SystemPrompt
from balcao.agents.prompts.store import StoredPrompt
from balcao.agents.reading import open_prompt_reader
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.offloading import run_in_thread
from balcao.core.values.clock import format_rfc3339_offset
from balcao.core.values.ids import parse_uuid


async def read_active_prompt(call: Call, agent_type: str) -> SystemPrompt:
    """Return the active version's prompt. Raises NotFound if no version is active."""
    async with open_prompt_reader(call) as connection:
        found = await store.select_active_prompt(connection, agent_type)
        if found is None:
            raise NotFound("Este tipo de agente não tem versão ativa.", code="agent-not-found")
        return _to_prompt(found)


async def read_prompt(call: Call, prompt_id: str) -> SystemPrompt:
    """Return a prompt by its id, even if its version is hidden. Raises NotFound if no prompt has this id."""
    known = parse_uuid(prompt_id)
    async with open_prompt_reader(call) as connection:
        found = None if known is None else await store.select_prompt(connection, known)
        if found is None:
            raise NotFound("Texto de instruções não encontrado.", code="prompt-not-found")
        return _to_prompt(found)


async def check_prompt(call: Call, body: PromptToCheck) -> CheckedPrompt:
    """Return the problems in a prompt without storing it.

    If the caller sends no list of known placeholders, the labels of the active version's memory blocks count as known.
    """
    known = body.known
    if known is None:
        async with call.platform.database.connection() as connection:
            known = await store.list_active_labels(connection, body.agent_type)
    problems = await run_in_thread(find_problems, body.prompt_content, set(known))
    return CheckedPrompt(not problems, len(body.prompt_content), problems)


def _to_prompt(found: StoredPrompt) -> SystemPrompt:
    return SystemPrompt(**found._asdict() | {"created_at": format_rfc3339_offset(found.created_at)})
