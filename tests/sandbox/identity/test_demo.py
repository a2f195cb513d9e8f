"""The list of demo people is consistent."""

import pytest

from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity.demo import Person, clients, people
from balcao_sandbox.identity.tokens import compute_subject
from tests.support.demo_people import KLEBER


@pytest.mark.parametrize("person", people(), ids=lambda person: person.username)
def test_every_demo_person_is_valid_and_plainly_invented(person: Person) -> None:
    assert Cpf.parse(person.cpf) is not None
    assert person.cpf.startswith("9000")
    assert person.email.endswith(".example")
    assert person.password.startswith("demo-")
    assert f"{person.given_name} {person.family_name}" == person.name


def test_no_two_demo_people_or_clients_are_the_same() -> None:
    for values in (
        [person.cpf for person in people()],
        [person.username for person in people()],
        [person.email for person in people()],
        [compute_subject(person) for person in people()],
        [client.client_id for client in clients()],
        [client.secret for client in clients()],
    ):
        assert len(values) == len(set(values))


def test_one_person_alone_has_a_role_in_the_token() -> None:
    assert [person.cpf for person in people() if person.token_roles] == [KLEBER]
