"""A file's type is detected from its content, and images are reduced to their pixels (rules: registry 4.18)."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from balcao.core.files.detection import MediaType, detect_type, is_complete_pdf
from balcao.core.files.image_decoder import reencode
from tests.support.sample_files import COMMENT, DEVICE, PLACE, document, drawing, photo

SIGNATURES = {b"\xff\xd8\xff": MediaType.JPEG, b"\x89PNG\r\n\x1a\n": MediaType.PNG, b"%PDF-": MediaType.PDF}
IMAGES = [photo(), photo(orientation=6), photo(progressive=True), drawing(), drawing(mode="RGBA"), drawing(mode="P")]
SECRETS = (PLACE, DEVICE, COMMENT, b"<script>", b"<html>")


@given(st.binary(max_size=40))
def test_a_file_has_a_type_only_by_its_first_bytes(content: bytes) -> None:
    expected = next((kind for signature, kind in SIGNATURES.items() if content.startswith(signature)), None)
    assert detect_type(content) is expected


@given(st.sampled_from(sorted(SIGNATURES)), st.binary(max_size=200))
def test_further_content_does_not_change_the_type(signature: bytes, rest: bytes) -> None:
    assert detect_type(signature + rest) is SIGNATURES[signature]


@given(st.binary(max_size=300))
def test_a_document_with_any_text_is_complete_and_a_part_of_it_is_not(text: bytes) -> None:
    content = document(text)
    assert is_complete_pdf(content)
    assert not is_complete_pdf(content[: content.rindex(b"startxref")])
    assert not is_complete_pdf(b"<html>" + content)


# Pillow warns about damaged metadata and ignores it. In tests, warnings are errors.
@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@given(
    st.sampled_from(IMAGES), st.lists(st.tuples(st.integers(0, 10_000), st.binary(min_size=1, max_size=4)), max_size=8)
)
def test_a_changed_image_is_rejected_or_loses_everything_but_its_pixels(
    content: bytes, changes: list[tuple[int, bytes]]
) -> None:
    changed = bytearray(content)
    for place, part in changes:
        start = place % len(changed)
        changed[start : start + len(part)] = part
    try:
        size, written = reencode(bytes(changed))
    except SystemExit:
        return
    image = Image.open(io.BytesIO(written), formats=["JPEG", "PNG"])
    image.load()
    assert image.size == (size["width"], size["height"])
    assert not image.getexif()
    assert not any(secret in written for secret in SECRETS)
    again = reencode(written)[1]
    assert len(again) < len(written) * 2
