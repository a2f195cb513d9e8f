"""Pets that a citizen registers, changes and deletes in Minha página."""

import pytest

from balcao.site.mine.declaration import PREFIX
from tests.site.mine.conftest import Enter
from tests.support.fixture_types import Sql
from tests.support.panel import CitizenClient

PETS = f"{PREFIX}/animais"
FIELDS = {"name": "Siri", "species": "Gato", "sex": "M", "birth": "15/01/2022", "neutered": "sim"}
STORED = "SELECT record ->> 'foto_url' AS photo FROM registry.own_pet WHERE record ->> 'animal_nome' = $1"


@pytest.fixture
def carla(enter: Enter) -> CitizenClient:
    return enter("carla")


def register(carla: CitizenClient, name: str) -> str:
    """Register a pet and return the address of its page."""
    answer = carla.submit(f"{PETS}/novo", **FIELDS | {"name": name})
    assert answer.url.path == PETS
    assert f"“{name}” foi registrado." in carla.page.text
    return max(href for href in carla.page.links if href.startswith(f"{PETS}/1"))


def test_a_citizen_registers_changes_and_deletes_a_pet(carla: CitizenClient, sql: Sql) -> None:
    address = register(carla, "Siri")
    sql('UPDATE registry.own_pet SET record = record || \'{"foto_url": "https://fotos.example/siri.jpg"}\'')
    shown = carla.get(address).text
    assert carla.page.heading == "Mudar os dados de Siri"
    assert 'value="15/01/2022"' in shown
    answer = carla.submit(
        address, **FIELDS | {"name": "Siri Mole", "breed": "Sem raça definida", "birth": "16/01/2022"}
    )
    assert (answer.url.path, "A mudança foi guardada." in carla.page.text) == (PETS, True)
    assert [row["photo"] for row in sql(STORED, "Siri Mole")] == ["https://fotos.example/siri.jpg"]
    carla.get(f"{address}/excluir")
    assert carla.page.heading == "Excluir “Siri Mole”?"
    form = carla.find_form(f"{address}/excluir")
    for said in ("“Siri Mole” foi excluído.", "Este animal não está mais na sua lista."):
        assert carla.post(form.action, form.values).url.path == PETS
        assert said in carla.page.text
    assert carla.get(address).status_code == 404
    assert carla.page.heading == "Página não encontrada"
    assert "`" not in carla.page.text
    assert "outra pessoa" not in carla.page.text


def test_a_made_up_key_or_version_is_no_error_of_the_site(carla: CitizenClient) -> None:
    for key in ("é" * 24, "a\nb"):
        carla.submit(f"{PETS}/novo", **FIELDS | {"name": "Garoupa", "_key": key})
        assert "“Garoupa” foi registrado." in carla.page.text
    address = max(href for href in carla.page.links if href.startswith(f"{PETS}/1"))
    assert carla.submit(address, **FIELDS, _etag="é").status_code == 412


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "Escreva o nome."),
        ({"birth": "31/02/2022"}, "como 15/01/2022"),
        ({"birth": "15/01/2090"}, "deve ficar entre 1970 e hoje"),
        ({"sex": ""}, "Escolha fêmea ou macho."),
        ({"chip": "9" * 31}, "30"),
    ],
)
def test_a_wrong_answer_keeps_the_text(carla: CitizenClient, fields: dict[str, str], said: str) -> None:
    answer = carla.submit(f"{PETS}/novo", **FIELDS | {"name": "Tainha"} | fields)
    assert answer.status_code in {400, 422}
    assert said in carla.page.text
    assert 'value="Gato"' in answer.text


def test_pets_of_the_city_and_of_other_people_have_no_form(carla: CitizenClient, enter: Enter) -> None:
    address = register(carla, "Robalo")
    bruno = enter("bruno")
    for path in (address, f"{address}/excluir", f"{PETS}/4711", f"{PETS}/nada", f"{PETS}/9999999"):
        assert bruno.get(path).status_code == 404
    carla.submit(f"{address}/excluir")
