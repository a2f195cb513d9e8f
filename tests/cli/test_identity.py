"""`balcao identity`: what an operator does about keys."""

import httpx

from tests.support.issuer import Issuer, bearer, new_key
from tests.support.patience import until_now
from tests.support.terminal import Terminal


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
