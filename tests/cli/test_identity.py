"""`balcao identity`: the operator's commands for keys and fixed tokens."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import until_now
from tests.support.terminal import Terminal

RISK = "health_units.read_risk"


def test_a_command_has_every_process_drop_deleted_keys_at_once(
    terminal: Terminal, http: httpx.Client, issuer: Issuer
) -> None:
    key = new_key()
    issuer.keys.append(key)
    token = bearer(issuer.person("90000000175"))
    assert http.get("/agent/api/v1/auth", headers=token).status_code == 200
    issuer.keys.remove(key)
    assert http.get("/agent/api/v1/auth", headers=token).status_code == 200
    terminal.environment["BALCAO_AUTH_ISSUER"] = issuer.address
    assert "Pedido enviado" in terminal.run("identity", "refresh-keys").stdout
    until_now(lambda: http.get("/agent/api/v1/auth", headers=token).status_code == 401)


def test_a_command_makes_a_fixed_token_and_the_entry_that_lists_it(terminal: Terminal) -> None:
    said = terminal.run("identity", "fixed-token", RISK).stdout
    token, entry = (line.rpartition(" ")[2] for line in said.splitlines())
    operation, _, digest = entry.split(":")
    assert (operation, digest) == (RISK, hashlib.sha256(token.encode()).hexdigest())
    terminal.environment["BALCAO_FIXED_SERVICE_TOKENS"] = entry
    assert not [said for said in terminal.json("doctor", "--json")["problems"] if "FIXED" in said]


def test_a_fixed_token_opens_several_operations(terminal: Terminal) -> None:
    further = "health_units.list_risks"
    said = terminal.run("identity", "fixed-token", RISK, further, RISK).stdout
    token, entries = (line.rpartition(" ")[2] for line in said.splitlines())
    found = [entry.split(":") for entry in entries.split(",")]
    assert [entry[0] for entry in found] == [RISK, further]
    assert {entry[2] for entry in found} == {hashlib.sha256(token.encode()).hexdigest()}
    terminal.environment["BALCAO_FIXED_SERVICE_TOKENS"] = entries
    assert not [said for said in terminal.json("doctor", "--json")["problems"] if "FIXED" in said]


@pytest.mark.parametrize("named", ["registry.nothing", "Leitura de risco", "health_units.read_risk:2030", "x,y"])
def test_what_no_fixed_token_opens_is_refused_in_a_sentence(terminal: Terminal, named: str) -> None:
    said = terminal.refusal("identity", "fixed-token", RISK, named)
    assert f"{named} não é operação que uma máquina chama por escopo. Existem: " in said
    assert "Traceback" not in said


def test_the_doctor_says_when_a_fixed_token_will_soon_end(terminal: Terminal) -> None:
    last_day = datetime.now(UTC).date() + timedelta(days=5)
    terminal.environment["BALCAO_FIXED_SERVICE_TOKENS"] = f"{RISK}:{last_day}:{'0' * 64}"
    said = "\n".join(json.loads(terminal.run("doctor", "--json").stdout)["problems"])
    assert "fixed-000000000000" in said
    assert str(last_day) in said


def test_a_new_key_is_made_for_the_embedded_provider_alone(terminal: Terminal, tmp_path: Path) -> None:
    made = terminal.run("identity", "rotate")
    assert (made.returncode, "Chave nova: " in made.stdout) == (0, True), made.stderr
    terminal.environment["BALCAO_AUTH_ISSUER"] = "https://id.cidade.example/realms/cidade"
    assert "troque as chaves nele" in terminal.refusal("identity", "rotate")
