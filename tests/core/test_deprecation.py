"""A deprecated operation says in every response when it will be removed (docs/explain/compatibility.md)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

import httpx
import pytest

from balcao import app
from balcao.core.http.deprecation import NOTICE, Deprecation
from balcao.core.http.openapi import describe_api
from balcao.core.service import Service
from balcao.settings import Settings
from tests.support.server import RunningServer

SINCE = date(2027, 3, 1)
RETIRED = Deprecation(SINCE, date(2028, 3, 1), "/jobs/api/v2/vagas")
PATH = "/api/v1/empregabilidade/vagas"


def deprecate(service: Service) -> Service:
    """Return the service with its deprecated list of jobs, which needs a token, and its public list of jobs."""
    features = [
        replace(
            feature,
            routes=[
                replace(route, deprecated=RETIRED) if route.path.endswith("/empregabilidade/vagas") else route
                for route in feature.routes
            ],
        )
        for feature in service.features
    ]
    return replace(service, features=features)


SERVICES = [deprecate(service) if service.name == "employability" else service for service in app.SERVICES]


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "SERVICES", SERVICES)
        with RunningServer(app.build_application(settings, database_url)) as running:
            yield running


@pytest.mark.parametrize(
    ("path", "status"),
    [("/jobs/api/public/empregabilidade/vagas", 200), ("/jobs/api/v1/empregabilidade/vagas", 401)],
)
def test_every_response_has_the_headers(http: httpx.Client, path: str, status: int) -> None:
    response = http.get(path)
    assert response.status_code == status
    assert response.headers["Deprecation"] == "@1803859200"
    assert response.headers["Sunset"] == "Wed, 01 Mar 2028 00:00:00 GMT"
    assert response.headers["Link"] == '</jobs/api/v2/vagas>; rel="successor-version"'


def test_other_operations_have_none(http: httpx.Client) -> None:
    assert "Deprecation" not in http.get("/jobs/liveness").headers


def test_the_description_marks_the_operation() -> None:
    service = next(service for service in SERVICES if service.name == "employability")
    found = [operation for path in describe_api(service)["paths"].values() for operation in path.values()]
    marked = [operation for operation in found if operation.get("deprecated")]
    assert marked
    for operation in marked:
        assert operation["x-sunset"] == "2028-03-01"
        assert operation["description"].startswith("**Obsoleta** desde 01/03/2027: deixa de existir em 01/03/2028.")
        assert all(
            {"Deprecation", "Sunset"} <= response["headers"].keys() for response in operation["responses"].values()
        )


def test_an_operation_is_removed_a_year_after_its_deprecation_at_the_earliest() -> None:
    Deprecation(SINCE, SINCE + NOTICE)
    with pytest.raises(ValueError, match="365 days"):
        Deprecation(SINCE, SINCE + NOTICE - timedelta(days=1))
