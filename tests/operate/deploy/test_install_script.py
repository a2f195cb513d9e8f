"""install.sh refuses settings that it would misread, before it installs anything."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.operate.deploy.test_installation import SCRIPT

LINES = ("BALCAO_SITE_CITY='Cidade Nova'", 'BALCAO_PANEL_CITY="Nova"', "BALCAO_SMTP_URL=smtp://[::1]:25/?a=b", "")


def install(folder: Path, lines: list[str]) -> str:
    """Run the script with these settings up to the check of the release's signature, which is missing."""
    (folder / "balcao.env").write_text("# The settings\n" + "".join(f"{line}\n" for line in lines))
    wheel = folder / "balcao-1.0.0-py3-none-any.whl"
    wheel.touch()
    answers = {"AUTH_ISSUER": "https://login.cidade.test", "PUBLIC_URL": "https://balcao.cidade.test"}
    environment = os.environ | answers | {"ETC": str(folder), "ALLOWED_SIGNERS": str(folder / "signers")}
    done = subprocess.run(["sh", SCRIPT, wheel], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_settings_that_sh_and_systemd_read_alike_are_accepted(tmp_path: Path) -> None:
    assert "Falta a assinatura" in install(tmp_path, list(LINES))


@pytest.mark.parametrize(
    "value", ["Prefeitura de Cidade", "postgresql://db/balcao?a=b&c=d", "segredo$x", "a;b", "'a'b'", '"a$b"', "`a`"]
)
def test_a_value_that_sh_would_misread_is_refused(tmp_path: Path, value: str) -> None:
    said = install(tmp_path, [*LINES, f"BALCAO_PANEL_CITY={value}"])
    assert "ponha entre aspas simples o valor de BALCAO_PANEL_CITY:" in said
    assert "Falta a assinatura" not in said
