"""Identify the installation, so that a program can tell whether its own installation answers at a port."""

import hashlib

from balcao.settings import Settings

HEADER = "Balcao-Instance"


def name_instance(settings: Settings) -> str:
    """Return an identifier that all processes of one installation share and that reveals no secret.

    Installations with an embedded database may all have the sandbox's hash key, so their data folders distinguish them.
    """
    folder = str(settings.data_dir.resolve()) if settings.embedded_database else ""
    key = settings.hash_key.get_secret_value().encode()[:64]
    return hashlib.blake2b(folder.encode(), key=key, digest_size=8, person=b"instance").hexdigest()
