"""When the certificate of the public address expires.

It is read over TLS, so the gateway may run on another machine.
"""

import math
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

from cryptography import x509

TIMEOUT_SECONDS = 5.0
# The interval between two checks. Certificates are valid for weeks, and each check costs each process a TLS handshake.
_CHECK_SECONDS = 3600.0


def read_certificate_end(url: str) -> float:
    """Return when the certificate at an https address expires, in Unix time.

    The certificate is not verified, because the expiry of an untrusted certificate matters too. Raises OSError if the
    connection fails, or ValueError if the address or the certificate cannot be parsed.
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
    """A cache of the certificate's expiry, which is read in a thread at most once an hour."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._end = math.nan
        self._due = 0.0

    def read(self) -> float:
        """Return the newest result without waiting. Return NaN before the first result and after a failure."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _CHECK_SECONDS
            threading.Thread(target=self._look, daemon=True).start()
        return self._end

    def _look(self) -> None:
        try:
            self._end = read_certificate_end(self._url)
        except (OSError, ValueError):
            self._end = math.nan
