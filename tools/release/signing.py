"""Signs a release with an SSH key, so that every Debian can verify it without additional programs."""

import re
import subprocess
from pathlib import Path

from tools.release.building import SUMS, ask_git
from tools.release.licences import Refused

# The accepted signer's name, and the purpose of the signature. A signature for another purpose is not valid.
SIGNER, PURPOSE = "balcao", "balcao-release"
SIGNERS = "docs/operate/allowed_signers"


def sign(repository: Path, release: Path, key: Path) -> None:
    """Sign the checksums of a complete release, and verify the signature as operators would.

    Raises Refused if the commit lacks the version's tag, if the changelog has no date for it, or if the verification
    fails.
    """
    version = release.name.removeprefix("balcao-")
    if f"v{version}" not in ask_git(repository, "tag", "--points-at", "HEAD").split():
        raise Refused(f"O commit não tem a marca v{version}: `git tag v{version}`.")
    changes = (repository / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changes, re.MULTILINE):
        raise Refused(f"CHANGELOG.md não diz o dia da versão {version}: `## {version} (AAAA-MM-DD)`.")
    signature = release / f"{SUMS}.sig"
    signature.unlink(missing_ok=True)
    _ssh_keygen("-Y", "sign", "-q", "-f", str(key), "-n", PURPOSE, str(release / SUMS))
    try:
        verify(release, repository / SIGNERS)
    except Refused:
        signature.unlink()
        raise Refused(f"A chave {key} não está em {SIGNERS}, com que se confere a assinatura.") from None


def verify(release: Path, signers: Path) -> None:
    """Verify the signature of a release's checksums. Raises Refused if it is not valid."""
    _ssh_keygen(
        *("-Y", "verify", "-f", str(signers), "-I", SIGNER, "-n", PURPOSE, "-s", str(release / f"{SUMS}.sig")),
        text=(release / SUMS).read_bytes(),
    )


def _ssh_keygen(*words: str, text: bytes = b"") -> None:
    done = subprocess.run(["ssh-keygen", *words], input=text, capture_output=True)
    if done.returncode:
        raise Refused(f"ssh-keygen: {done.stderr.decode().strip()}")
