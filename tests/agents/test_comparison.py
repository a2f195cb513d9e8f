"""The differences between two versions, member by member (rules: agents 2.2)."""

import json

from hypothesis import given
from hypothesis import strategies as st

from balcao.agents.history.comparison import list_version_changes
from balcao.agents.versions.content import AgentContent

_contents = st.builds(
    AgentContent,
    prompt=st.sampled_from(["", "a", "b"]),
    memory_blocks=st.lists(st.fixed_dictionaries({"label": st.sampled_from("ab"), "n": st.sampled_from([1, True])})),
    tools=st.lists(st.sampled_from("ab")),
    model_name=st.sampled_from(["", "m"]),
    embedding_name=st.just(""),
)


def spell(content: AgentContent, name: str) -> str:
    """Return a member as JSON, which distinguishes 1 from true. The order of object members has no effect."""
    return json.dumps(getattr(content, name), sort_keys=True)


@given(old=_contents, new=_contents)
def test_a_comparison_names_what_differs_and_nothing_else(old: AgentContent, new: AgentContent) -> None:
    changes = list_version_changes(old, new)
    named = {change.field_name for change in changes}
    assert named == {name for name in AgentContent.__struct_fields__ if spell(old, name) != spell(new, name)}
    for change in changes:
        values = [value for value in (change.old_value, change.new_value) if value is not None]
        assert {"array" if isinstance(value, list) else "string" for value in values} == {change.value_type}
