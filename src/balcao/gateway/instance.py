"""Which installation answers: so that a caller on a port knows whether it is their own."""

import hashlib

from balcao.settings import Settings

HEADER = "Balcao-Instance"


def name_instance(settings: Settings) -> str:
    """Return a word that is the same for all processes of one installation, and tells nothing of its secrets.

    Installations with an embedded database share the sandbox's hash key, and differ by the folder of their data.
    """
    folder = str(settings.data_dir.resolve()) if settings.embedded_database else ""
    key = settings.hash_key.get_secret_value().encode()[:64]
    return hashlib.blake2b(folder.encode(), key=key, digest_size=8, person=b"instance").hexdigest()
