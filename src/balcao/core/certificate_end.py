"""When the certificate of the public address ends, as a caller sees it: whichever machine the gateway is on."""

import math
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

from cryptography import x509

TIMEOUT_SECONDS = 5.0
# A certificate lives for weeks, and each look is a TLS handshake of each process.
_LOOK_SECONDS = 3600.0


def read_certificate_end(url: str) -> float:
    """Return when the certificate at an https address ends, as Unix time. Raises OSError or ValueError.

    Nothing is verified: the end of a certificate that no client trusts is of interest, too.
    """
    address = urlsplit(url)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    host, port = address.hostname or "", address.port or 443
    with (
        socket.create_connection((host, port), TIMEOUT_SECONDS) as raw,
        context.wrap_socket(raw, server_hostname=host) as tls,
    ):
        leaf = tls.getpeercert(binary_form=True)
    return x509.load_der_x509_certificate(leaf or b"").not_valid_after_utc.timestamp()


class CertificateWatch:
    """Reads the end of the certificate in a thread, once an hour at most, and remembers it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._end = math.nan
        self._due = 0.0

    def read(self) -> float:
        """Return the end that was read last, without waiting: not a number before the first answer."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _LOOK_SECONDS
            threading.Thread(target=self._look, daemon=True).start()
        return self._end

    def _look(self) -> None:
        try:
            self._end = read_certificate_end(self._url)
        except (OSError, ValueError):
            self._end = math.nan
