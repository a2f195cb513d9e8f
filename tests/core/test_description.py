"""The page of an API and its files."""

import httpx
import pytest


@pytest.mark.parametrize("name", ["swagger-ui.css", "start.js"])
def test_a_file_that_the_browser_has_is_not_sent_again(http: httpx.Client, name: str) -> None:
    path = f"/registry/v1/docs/assets/{name}"
    etag = http.get(path).headers["ETag"]
    again = http.get(path, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
