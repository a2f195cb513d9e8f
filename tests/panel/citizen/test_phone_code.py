"""In the trial, the form for a phone's code links to the mailbox that received the code."""

import httpx

from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox


def test_the_page_that_asks_for_a_code_leads_to_the_mailbox_of_the_trial(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("carla")
    panel.submit("/painel/meus-dados/telefone", number="(21) 98888-7766")
    assert "caixa de mensagens da demonstração" in panel.page.text
    mailbox = next(link for link in panel.page.links if link.endswith("/_sandbox/codes"))
    assert httpx.get(mailbox).status_code == 200
    assert mailbox == sandbox.settings.phone_code_url
