"""Clients that send, list, download and delete files of citizens (rules: registry 4.18)."""

import hashlib
import random
from collections.abc import Sequence
from contextlib import suppress

import httpx

from balcao_sandbox.identity.demo import people_by_login
from tests.histories.own import CITIZENS
from tests.histories.recorder import Ask, Call, Told, make_mark
from tests.support.sample_files import document

SENT = 4  # different files per citizen; the limit is 60 an hour


class FilesOfCitizens:
    """Citizens who send, read and delete a few files. They often send a file again with its idempotency key.

    A PDF is stored as it was sent, so its digest identifies it in lists. `_ids` contains the ids that responses have
    shown, by digest. Their files may have been deleted.
    """

    name = "file"

    def __init__(self, _: range) -> None:
        self.keys = list(CITIZENS)
        self._contents = {key: dict(_make_contents()) for key in self.keys}
        self._ids: dict[tuple[str, str], str] = {}

    async def prepare(self, call: Call) -> None:
        """Delete the files of earlier rounds, because a citizen may have 200."""
        for key in self.keys:
            for file in (await call(key, "GET", f"{_path(key)}?per_page=100")).json()["data"]:
                with suppress(httpx.HTTPStatusError):  # a demo request uses this file
                    await call(key, "DELETE", f"{_path(key)}/{file['id']}")

    def reads(self, key: str) -> Sequence[Ask]:
        listed = Ask(
            key, key, "GET", f"{_path(key)}?per_page=100", {"do": "read"}, lambda answer: self._listed(key, answer)
        )
        return [listed, *(self._download(key, digest) for digest in self._contents[key] if (key, digest) in self._ids)]

    def choose(self, key: str, chance: random.Random) -> Ask:
        kind, digest = chance.random(), chance.choice(list(self._contents[key]))
        if kind < 0.35 or (key, digest) not in self._ids:
            return self._send(key, digest) if kind < 0.2 else self.reads(key)[0]
        if kind < 0.75:
            return self._download(key, digest)
        file = self._ids[key, digest]
        asked = {"do": "delete", "digest": digest, "id": file}
        return Ask(key, key, "DELETE", f"{_path(key)}/{file}", asked, _answered)

    def _send(self, key: str, digest: str) -> Ask:
        content, repeatable = self._contents[key][digest], {"Idempotency-Key": digest}

        def sent(answer: httpx.Response) -> Told:
            if answer.status_code != 201:
                return _answered(answer)
            file = answer.json()
            self._ids.setdefault((key, digest), file["id"])
            return {"status": 201, "id": file["id"], "digest": file["sha256"]}

        # A repeated call adds no audit event.
        asked = {"do": "send", "digest": digest}
        return Ask(key, key, "POST", _path(key), asked, sent, content, (0, 1), repeatable)

    def _download(self, key: str, digest: str) -> Ask:
        file = self._ids[key, digest]
        asked = {"do": "download", "digest": digest, "id": file}
        return Ask(key, key, "GET", f"{_path(key)}/{file}/content", asked, _downloaded)

    def _listed(self, key: str, answer: httpx.Response) -> Told:
        """Return the ids by digest, and the number of listed files whose digest is one of the key's digests."""
        found = [file for file in answer.raise_for_status().json()["data"] if file["sha256"] in self._contents[key]]
        files = {file["sha256"]: file["id"] for file in found}
        self._ids |= {(key, digest): file for digest, file in files.items()}
        return {"status": 200, "files": files, "count": len(found)}


def _make_contents() -> list[tuple[str, bytes]]:
    contents = [document(make_mark(FilesOfCitizens.name).encode()) for _ in range(SENT)]
    return [(hashlib.sha256(content).hexdigest(), content) for content in contents]


def _path(login: str) -> str:
    return f"/registry/v1/citizen/{people_by_login()[login].cpf}/files"


def _answered(answer: httpx.Response) -> Told:
    return {"status": answer.status_code}


def _downloaded(answer: httpx.Response) -> Told:
    digest = hashlib.sha256(answer.content).hexdigest() if answer.status_code == 200 else ""
    return {"status": answer.status_code, "digest": digest}
