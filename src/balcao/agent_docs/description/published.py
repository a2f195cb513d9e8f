"""What this process publishes: generated once at start, then frozen as bytes."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass

from balcao.core.errors import Unavailable
from balcao.core.logs import log
from balcao.core.values.etags import etag_of
from balcao.core.values.ready import Ready


@dataclass(frozen=True)
class EncodedBody:
    """A body in both encodings; each has its own strong ETag."""

    plain: Ready
    zipped: Ready

    @classmethod
    def of(cls, body: bytes) -> "EncodedBody":
        """Encode a body; without a time in gzip's header the bytes are the same at every start."""
        zipped = gzip.compress(body, mtime=0)
        return cls(Ready(body, etag_of(body)), Ready(zipped, etag_of(zipped)))


@dataclass(frozen=True)
class Published:
    """`document` is None when it could not be generated.

    Relative links lead from the page's folder, so that the root is another one where it is asked for without a slash.
    """

    root: EncodedBody
    root_without_slash: EncodedBody
    document: EncodedBody | None

    @classmethod
    def generate(cls, root: bytes, root_without_slash: bytes, document: Callable[[], bytes]) -> "Published":
        """Generate the document. Never raises: a failure is logged, and every response and readiness tell it."""
        roots = EncodedBody.of(root), EncodedBody.of(root_without_slash)
        try:
            return cls(*roots, EncodedBody.of(document()))
        except Exception as failure:
            log.error("agent_docs.not_generated", exc_info=failure)
            return cls(*roots, None)

    def require_document(self) -> EncodedBody:
        """Return the document. Raises Unavailable when it could not be generated."""
        if self.document is None:
            raise Unavailable("A descrição da API não pôde ser gerada.", code="description-missing")
        return self.document
