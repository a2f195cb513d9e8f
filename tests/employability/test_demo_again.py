"""A later start restores the demo data that a user has changed."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.fixture_types import Sql


def test_what_was_tried_out_and_removed_comes_back(
    load_demo: Callable[[], Mapping[str, Any]], examples: Mapping[str, Any], sql: Sql
) -> None:
    sql("DELETE FROM employability.behaviour_link")
    sql("UPDATE employability.legacy_job SET deleted_at = now()")
    again = load_demo()
    assert set(again) == set(examples)
    assert again["job_id"] != examples["job_id"]
