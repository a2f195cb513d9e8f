"""Move refusals that several operations share into `components/responses` of an OpenAPI document."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

Json = dict[str, Any]

# The name of each status. The phrases of `http.HTTPStatus` would differ between Python versions.
_WORDS = {
    "400": "BadRequest",
    "401": "Unauthorized",
    "403": "Forbidden",
    "404": "NotFound",
    "409": "Conflict",
    "412": "PreconditionFailed",
    "413": "ContentTooLarge",
    "415": "UnsupportedMediaType",
    "422": "UnprocessableContent",
    "429": "TooManyRequests",
    "500": "InternalServerError",
    "502": "BadGateway",
    "503": "ServiceUnavailable",
}
# Codes that names omit, because most operations share them.
_USUAL = frozenset(
    """
    access-reason-invalid access-reason-missing access-reason-personal unauthenticated token-invalid forbidden not-found
    precondition-failed too-large body-compressed too-many too-many-at-once internal audit-not-written identity-away
    maintenance stale-snapshot store-away
    """.split()
)
_CODE = re.compile(r"^- `([^`]+)`", re.MULTILINE)
# The maximum number of codes in a name. With more codes, the name would be too long.
_NAMED_CODES = 2


def share_refusals(document: Json) -> None:
    """Move each refusal that occurs more than once into the document's components. Change the document in place."""
    uses = Counter(_identify(response) for _, _, response in _list_refusals(document))
    names: dict[bytes, str] = {}
    shared: dict[str, Json] = {}
    for responses, status, response in list(_list_refusals(document)):
        identity = _identify(response)
        if uses[identity] == 1:
            continue
        if identity not in names:
            names[identity] = name = _choose_name(status, response, shared)
            shared[name] = response
        responses[status] = {"$ref": f"#/components/responses/{names[identity]}"}
    document["components"]["responses"] = shared


def read_responses(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Json:
    """Return the operation's responses by status, with the shared responses instead of references."""
    shared = document["components"].get("responses", {})
    return {
        status: shared[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
        for status, response in operation["responses"].items()
    }


def _list_refusals(document: Json) -> Iterator[tuple[Json, str, Json]]:
    """Yield every operation's refusals as (responses of the operation, status, refusal)."""
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict):
                for status, response in operation["responses"].items():
                    if status >= "400":
                        yield operation["responses"], status, response


def _identify(response: Json) -> bytes:
    return msgspec.json.encode(response, order="sorted")


def _choose_name(status: str, response: Json, taken: Json) -> str:
    """Name a refusal after its status and codes, as in `NotFoundJobUnknown`.

    If necessary, a number makes the name unique.
    """
    codes = [code for code in _CODE.findall(response["description"]) if code not in _USUAL]
    words = re.findall("[A-Za-z]+", " ".join(codes if len(codes) <= _NAMED_CODES else []))
    name = _WORDS[status] + "".join(word.capitalize() for word in words)
    names = itertools.chain([name], (f"{name}{number}" for number in itertools.count(2)))
    return next(each for each in names if each not in taken)
