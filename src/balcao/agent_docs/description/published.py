"""What this process publishes: generated once, when it is first asked for, then frozen as bytes."""

from collections.abc import Callable

from balcao.core.errors import Unavailable
from balcao.core.http.encoded_bodies import EncodedBody
from balcao.core.logs import log
from balcao.core.once import Once


class Published:
    """The root, and the document, which takes as long to generate as all else does that a process starts with.

    Relative links lead from the page's folder, so that the root is another one where it is asked for without a slash.
    """

    def __init__(self, root: bytes, root_without_slash: bytes, build_document: Callable[[], bytes]) -> None:
        self.root = EncodedBody.of(root)
        self.root_without_slash = EncodedBody.of(root_without_slash)
        self._build_document = build_document
        self._document = Once(self._generate)

    async def find_document(self) -> EncodedBody | None:
        """Return the document, None when it could not be generated: that is logged, and stays so."""
        return await self._document.get()

    async def read_document(self) -> EncodedBody:
        """Return the document. Raises Unavailable when it could not be generated."""
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
