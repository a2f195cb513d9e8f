import httpx
from tests.employability.jobs.callers import *
from tests.employability.jobs.making import *


def test_slice(http: httpx.Client, create, callers) -> None:
    job = create()
    assert job["status"] == "em_edicao"
    read = http.get(f"{BASE}/{job['id']}", headers=callers[EDITOR])
    assert read.json() == job
    done = http.put(f"{BASE}/{job['id']}/publish", headers=callers[EDITOR])
    assert (done.status_code, done.json()) == (200, {"message": "Vaga publicada.", "id": job["id"]})
    listed = http.get(PUBLIC).json()
    print(listed)
    assert [each["id"] for each in listed["data"]] == [job["id"]]
    seen = http.get(f"{PUBLIC}/{job['id']}")
    assert seen.status_code == 200
    print(seen.json())
    assert http.get(f"{PUBLIC}/slug/{seen.json()['slug']}").status_code == 200
    moved = http.get(f"{PUBLIC}/slug/velho-{seen.json()['slug'][-12:]}")
    assert (moved.status_code, moved.headers["Location"]) == (301, f"{PUBLIC}/slug/{seen.json()['slug']}")
    assert http.get(BASE, headers=callers[EDITOR]).json()["meta"]["total"] == 1
    for status in ("publicado_ativo",):
        assert (
            http.get(
                PUBLIC,
                params={
                    "status": status,
                    "contratante": "padaria",
                    "bairro": "cent",
                    "search": "CONFEI",
                    "data_publicacao": "hoje",
                    "id_regime_contratacao": job["id_regime_contratacao"],
                },
            ).json()["meta"]["total"]
            == 1
        )
    assert http.get(BASE, headers=callers[FOREIGN]).json()["meta"]["total"] == 0
    assert http.get(f"{BASE}/{job['id']}", headers=callers[FOREIGN]).status_code == 404
    dup = http.post(BASE, json=read.json(), headers=callers[EDITOR])
    assert dup.status_code == 201, dup.text
    etag = http.get(f"{BASE}/{job['id']}", headers=callers[EDITOR]).headers["ETag"]
    put = http.put(f"{BASE}/{job['id']}", json=read.json(), headers=callers[EDITOR] | {"If-Match": etag})
    assert put.status_code == 200, put.text
    assert [s["id"] for s in put.json()["etapas"]] == [s["id"] for s in job["etapas"]]
    print(http.get(f"{BASE}/{job['id']}/historico", headers=callers[EDITOR]).json())
