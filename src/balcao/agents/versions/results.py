"""Build the responses to saving, activating, resetting, undoing and hiding a version."""

from balcao.agents.versions.content import format_version
from balcao.agents.versions.schemas import (
    ActivationResult,
    ConfigReset,
    ConfigSaved,
    HideResult,
    PromptReset,
    PromptSaved,
    ResetResult,
    UndoResult,
    UnifiedSaved,
)
from balcao.agents.versions.service import PointerMove, SavedVersion, UndoneVersion
from balcao.agents.versions.store import AgentVersion
from balcao.core.context.call import Call


def describe_save(call: Call, saved: SavedVersion) -> UnifiedSaved:
    """Return the response to a save of prompt and configuration."""
    version = saved.version
    return UnifiedSaved(
        success=True,
        unified_version_number=version.version,
        version_display=_display(call, version),
        change_type=version.change_type,
        prompt_id=str(version.prompt_id),
        config_id=str(version.config_id),
        agents_updated={},
        message=_explain(saved),
    )


def describe_config_save(saved: SavedVersion) -> ConfigSaved:
    """Return the response to a save of the configuration."""
    return ConfigSaved(True, str(saved.version.config_id), {}, _explain(saved))


def describe_prompt_save(saved: SavedVersion) -> PromptSaved:
    """Return the response to a save of the prompt."""
    return PromptSaved(True, str(saved.version.prompt_id), {}, _explain(saved), saved.version.version)


def describe_move(call: Call, agent_type: str, moved: PointerMove) -> ActivationResult:
    """Return the response to an activation or a rollback."""
    version = moved.version
    same = moved.previous == version.version
    return ActivationResult(
        success=True,
        agent_type=agent_type,
        active_version=version.version,
        previous_version=moved.previous,
        version_display=_display(call, version),
        config_id=str(version.config_id),
        prompt_id=str(version.prompt_id),
        message=f"A versão {version.version} {'já estava' if same else 'está'} ativa.",
    )


def describe_reset(call: Call, agent_type: str, version: AgentVersion) -> ResetResult:
    """Return the response to a reset."""
    return ResetResult(
        success=True,
        agent_type=agent_type,
        unified_version=version.version,
        version_display=_display(call, version),
        prompt_id=str(version.prompt_id),
        config_id=str(version.config_id),
        agents_updated={},
        message=f"Conteúdo padrão salvo e ativado como versão {version.version}; as anteriores continuam guardadas.",
    )


def describe_config_reset(agent_type: str, version: AgentVersion) -> ConfigReset:
    """Return the response to a reset of the configuration."""
    text = f"Configuração padrão salva e ativada como versão {version.version}, com as instruções de antes."
    return ConfigReset(True, agent_type, version.version, str(version.config_id), {}, text)


def describe_prompt_reset(agent_type: str, version: AgentVersion) -> PromptReset:
    """Return the response to a reset of the prompt."""
    text = f"Instruções padrão salvas e ativadas como versão {version.version}, com a configuração de antes."
    return PromptReset(True, agent_type, version.version, str(version.prompt_id), {}, text)


def describe_undo(agent_type: str, undone: UndoneVersion) -> UndoResult:
    """Return the response to undoing the newest version."""
    active = undone.active
    now = f"a versão {active.version} está ativa" if active else "nenhuma versão está ativa"
    return UndoResult(
        success=True,
        agent_type=agent_type,
        deleted_version=undone.version,
        active_version=active.version if active else None,
        previous_prompt_id=str(active.prompt_id) if active else None,
        message=f"A versão {undone.version} foi desfeita e não aparece mais nos históricos; {now}.",
    )


def describe_hiding(call: Call, agent_type: str, version: AgentVersion) -> HideResult:
    """Return the response to hiding a version."""
    text = f"A versão {version.version} não aparece mais nos históricos."
    return HideResult(True, agent_type, version.version, _display(call, version), text)


def _explain(saved: SavedVersion) -> str:
    number = saved.version.version
    if not saved.new:
        return f"Nada mudou: a versão {number}, ativa, já tem este conteúdo."
    return f"Versão {number} salva e ativada." if saved.active else f"Versão {number} salva, sem ser ativada."


def _display(call: Call, version: AgentVersion) -> str:
    return format_version(version.version, version.created_at, call.zone)
