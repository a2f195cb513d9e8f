"""Forms with a file, as browsers send them, with any content, or malformed."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as some

from balcao.core.context.headers import Headers
from balcao.core.errors import Invalid, TooLarge
from balcao.core.http.requests import Request
from balcao.core.http.uploads import MAX_PARTS, UploadForm, parse_parts, read_upload

BOUNDARY = b"----WebKitFormBoundaryAbc123"


def make_request(content: bytes | None, content_type: bytes) -> Request:
    request = Request("POST", b"/x", headers=Headers([(b"content-type", content_type)]))
    request.content = content
    return request


def make_part(head: bytes, content: bytes) -> bytes:
    return b"--" + BOUNDARY + b"\r\n" + head + b"\r\n\r\n" + content + b"\r\n"


def make_body(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--" + BOUNDARY + b"--\r\n"


FIELD = make_part(b'Content-Disposition: form-data; name="_csrf"', b"segredo")
PHOTO = b'Content-Disposition: form-data; name="file"; filename="foto da \xc3\xa1rvore.jpg"\r\nContent-Type: image/jpeg'


def test_a_browsers_form_has_its_fields_and_its_file() -> None:
    content = b"\xff\xd8\xff\r\n\r\n--" + BOUNDARY[:-1] + b"\r\n\0"
    found = parse_parts(make_body(FIELD, make_part(PHOTO, content)), BOUNDARY)
    assert found == {"_csrf": ["segredo"]}
    assert found.files == {"file": content}


@pytest.mark.parametrize(
    "parameters",
    [
        b'name="a"; filename="x"',
        b"name=a;filename=x",
        b'NAME="a"; filename=""',
        b"""filename*=UTF-8''%C3%A1.jpg; name="a" """,
        b'name="a"; filename="' + b"\xc3\xa1" * 255 + b'"',
        b'name="a"; filename="aspas \\"; name=\\" \xe1.jpg"',
    ],
)
def test_a_file_is_found_by_its_parameters(parameters: bytes) -> None:
    found = parse_parts(make_body(make_part(b"content-disposition: form-data; " + parameters, b"x")), BOUNDARY)
    assert (found, found.files) == ({}, {"a": b"x"})


def test_an_input_without_a_choice_is_no_file() -> None:
    empty = b'Content-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream'
    found = parse_parts(make_body(FIELD, make_part(empty, b"")), BOUNDARY)
    assert (found.files, found.first("_csrf")) == ({}, "segredo")


@given(content=some.binary(min_size=1, max_size=2_000), text=some.text(max_size=50))
def test_any_content_arrives_unchanged(content: bytes, text: str) -> None:
    sent = httpx.Request("POST", "http://x", data={"texto": text}, files={"file": ('ç".jpg', content)})
    found = read_upload(make_request(sent.read(), sent.headers["content-type"].encode()))
    assert isinstance(found, UploadForm)
    assert (found.first("texto"), found.files) == (text, {"file": content})


@given(body=some.binary(max_size=300))
def test_any_body_is_a_form_or_is_refused(body: bytes) -> None:
    for whole in (body, make_body(make_part(body, b"x")), make_body(FIELD) + body, make_body(body)):
        try:
            found = parse_parts(whole, BOUNDARY)
        except Invalid:
            continue
        assert sum(map(len, found.values())) + len(found.files) <= MAX_PARTS


@pytest.mark.parametrize(
    "body",
    [
        b"",
        FIELD,
        FIELD + b"--" + BOUNDARY,
        make_body(),
        b"antes" + make_body(FIELD),
        make_body(make_part(b"Content-Disposition: form-data", b"x")),
        make_body(make_part(b'Content-Disposition: attachment; name="a"', b"x")),
        make_body(make_part(b'Content-Disposition: form-data; name="a"', b"\xff")),
        make_body(make_part(b"X: " + b"y" * 3_000 + b"\r\n" + PHOTO, b"x")),
        make_body(make_part(PHOTO, b"1"), make_part(PHOTO, b"2")),
        make_body(make_part(b"Content-Disposition: form-data; name*", b"x")),
        make_body(make_part(b"Content-Disposition: form-data; name*0*=''", b"x")),
        make_body(make_part(b'Content-Disposition: form-data; name="a', b"x")),
        make_body(make_part(b'Content-Disposition: form-data; name="a"; name="b"', b"x")),
        make_body(make_part(b'Content-Disposition: form-data; name="a"\r\n' * 2, b"x")),
        make_body(make_part(b'Content-Disposition: form-data; name="a"; ' + b"(" * 1_900, b"x")),
        make_body(*[FIELD] * (MAX_PARTS + 1)),
    ],
)
def test_a_malformed_body_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        parse_parts(body, BOUNDARY)


@pytest.mark.parametrize(
    "content_type",
    [
        b"text/plain",
        b"multipart/form-data",
        b"multipart/form-data; boundary=" + b"x" * 71,
        b"multipart/mixed; boundary=x",
        b"multipart/form-data; boundary=" + BOUNDARY + b'; a="' + b";" * 300 + b'"',
    ],
)
def test_another_type_is_refused(content_type: bytes) -> None:
    with pytest.raises(Invalid):
        read_upload(make_request(make_body(FIELD), content_type))


def test_a_form_without_a_file_may_come_in_the_usual_encoding() -> None:
    assert read_upload(make_request(b"a=1&a=2", b"application/x-www-form-urlencoded")) == {"a": ["1", "2"]}


def test_a_body_that_was_not_read_is_too_large() -> None:
    with pytest.raises(TooLarge):
        read_upload(make_request(None, b"multipart/form-data; boundary=x"))
