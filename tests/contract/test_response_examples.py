"""The descriptions contain every operation's success response as the platform returns it."""

import os

import pytest

from clients.generator.documents import read_documents
from tests.contract.response_examples import (
    collect,
    have_same_members,
    list_faults,
    list_with_json,
    read_stored,
    write_stored,
)
from tests.support.sandbox import Sandbox

# These operations fail in the collector's run. They need, for example, a code sent to a phone, a CRM account, a failed
# job, the owner's token, or data that no earlier example creates.
WITHOUT_ANSWER = [
    "access_apply_catalogue",
    "access_find_user",
    "agents_delete_experiment",
    "agents_read_config",
    "agents_read_prompt",
    "employability_accept_terms",
    "employability_complete_onboarding",
    "employability_erase_data",
    "employability_export_data",
    "employability_read_job_search",
    "employability_revoke_terms",
    "employability_submit_application",
    "employability_withdraw_application",
    "health_units_change_notification",
    "health_units_read_exception",
    "health_units_read_holiday",
    "registry_answer_vehicle_invitation",
    "registry_begin_maintenance",
    "registry_change_crm_consent",
    "registry_choose_phone_category",
    "registry_confirm_phone",
    "registry_export_crm_account",
    "registry_follow_request",
    "registry_identify_citizen",
    "registry_rate_request",
    "registry_read_crm_account",
    "registry_read_crm_anonymisation",
    "registry_read_crm_ticket",
    "registry_read_dead_letter",
    "registry_read_file",
    "registry_read_pet",
    "registry_reopen_request",
    "registry_replace_pet",
    "registry_request_crm_anonymisation",
    "registry_retry_dead_letter",
    "registry_store_file",
    "search_abort_migration",
    "search_change_proposal",
    "search_publish_proposal",
    "search_read_migration",
    "search_read_proposal",
    "search_read_synonyms",
    "search_send_back_proposal",
]


def test_every_success_with_a_body_has_an_example_that_fits_its_schema() -> None:
    missing, invalid = [], []
    for document in read_documents():
        stored = read_stored(document.service)
        for key, operation in list_with_json(document):
            if key not in stored:
                missing.append(key)
            else:
                invalid += [f"{key}: {fault}" for fault in list_faults(stored[key], operation, document)]
    assert (missing, invalid) == ([], []), "`make examples` writes them"


@pytest.mark.long
def test_the_platform_answers_as_the_examples_show(independent: Sandbox) -> None:
    answers = collect(independent)
    if os.environ.get("BALCAO_WRITE_EXAMPLES"):
        write_stored(answers)
    stored = {key: example for document in read_documents() for key, example in read_stored(document.service).items()}
    different = [key for key, body in answers.items() if not have_same_members(body, stored[key])]
    assert different == [], "`make examples` writes them again"
    assert sorted(set(stored) - set(answers)) == WITHOUT_ANSWER
