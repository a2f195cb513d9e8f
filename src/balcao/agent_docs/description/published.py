"""The root page and the OpenAPI document that this process publishes."""

from collections.abc import Callable

from balcao.core.errors import Unavailable
from balcao.core.http.encoded_bodies import EncodedBody
from balcao.core.logs import log
from balcao.core.once import Once


class Published:
    """The root page and the OpenAPI document, as bytes.

    The OpenAPI document is generated when it is first needed, because generating it would double the start-up time. The
    root page has relative links, so these differ if it is requested without a trailing slash.
    """

    def __init__(self, root: bytes, root_without_slash: bytes, build_document: Callable[[], bytes]) -> None:
        self.root = EncodedBody.of(root)
        self.root_without_slash = EncodedBody.of(root_without_slash)
        self._build_document = build_document
        self._document = Once(self._generate)

    async def find_document(self) -> EncodedBody | None:
        """Return the document, or None if generating it failed. The failure is logged and not retried."""
        return await self._document.get()

    async def read_document(self) -> EncodedBody:
        """Return the document. Raises Unavailable if it could not be generated."""
        document = await self.find_document()
        if document is None:
            raise Unavailable("A descrição da API não pôde ser gerada.", code="description-missing")
        return document

    def _generate(self) -> EncodedBody | None:
        try:
            return EncodedBody.of(self._build_document())
        except Exception as failure:
            log.error("agent_docs.not_generated", exc_info=failure)
            return None
