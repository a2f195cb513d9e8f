"""The response that contains a file."""

from balcao.core.files.detection import SUFFIXES
from balcao.core.http.responses import PERSONAL, Response
from balcao.core.http.sent_headers import CONTENT_DISPOSITION
from balcao.registry.person.files.service import Content

# A browser must never open a file as a page of this site, even if a person follows a direct link to it.
_NO_PAGE = "default-src 'none'; sandbox"


def attach_file(found: Content) -> Response[bytes]:
    """Return the file as an attachment. Caches must not store it."""
    file, content = found
    headers = {
        "Cache-Control": PERSONAL,
        "Content-Security-Policy": _NO_PAGE,
        CONTENT_DISPOSITION.name: f'attachment; filename="{file.id}.{SUFFIXES[file.media_type]}"',
    }
    return Response(content, headers=headers, media_type=file.media_type)
