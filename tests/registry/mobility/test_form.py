"""Rules that need no database: choice of brand and model, photo addresses and slugs (rules: registry 3.6, 4.8)."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from balcao.core.errors import Invalid
from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.schemas import VehicleBrand, VehicleModel, VehicleType
from balcao.registry.mobility.catalogue.slugs import fold_name, make_slug
from balcao.registry.mobility.vehicles.flows import Choice, resolve_choice
from balcao.registry.mobility.vehicles.form import merge_form
from balcao.registry.mobility.vehicles.photos import parse_url
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleUpdate
from tests.support.proof_sizes import EXAMPLES
from tests.support.rules import read_list, read_values

BRANDS = {
    id_: VehicleBrand(id=id_, name=id_, is_other=id_ == "brand_outro", deleted_at=None)
    for id_ in ("brand_a", "brand_b", "brand_outro")
}
MODELS = {
    id_: VehicleModel(
        id=id_, brand_id=brand, name=id_, vehicle_type=VehicleType.MOPED, is_other=id_ == "model_outro", deleted_at=None
    )
    for id_, brand in {"model_a": "brand_a", "model_b": "brand_b", "model_outro": "brand_outro"}.items()
}
PHOTOS = ("serial_number_photo", "vehicle_photo", "invoice_photo")
texts = st.none() | st.just("texto")
choices = st.builds(
    Choice,
    brand_id=st.none() | st.sampled_from([*BRANDS, "brand_deleted"]),
    brand_other=texts,
    model_id=st.none() | st.sampled_from([*MODELS, "model_deleted"]),
    model_other=texts,
    vehicle_type=st.none() | st.sampled_from(["autopropelido", "bicicleta_eletrica"]),
)


def outcome(choice: Choice) -> Choice | None:
    """Return the choice as it would be stored, or None if it is rejected."""
    try:
        return resolve_choice(choice, BRANDS.get(choice.brand_id or ""), MODELS.get(choice.model_id or ""))
    except Invalid:
        return None


def by_the_table(choice: Choice) -> Choice | None:
    """Return the result according to the table in rule 4.8. Each condition is one of the table's three rows."""
    brand, model = choice.brand_id, choice.model_id
    real = {"model_a": "brand_a", "model_b": "brand_b"}
    no_model, no_brand = model in (None, "model_outro"), brand in (None, "brand_outro")
    typed = choice.model_other is not None and choice.vehicle_type is not None
    if model in real and real[model] == brand:
        return Choice(brand, None, model, None, "ciclomotor")
    if brand in ("brand_a", "brand_b") and no_model and typed:
        return Choice(brand, None, None, choice.model_other, choice.vehicle_type)
    if no_brand and no_model and choice.brand_other is not None and typed:
        return Choice(None, choice.brand_other, None, choice.model_other, choice.vehicle_type)
    return None


@pytest.mark.cases("registry", "M5")
@settings(max_examples=EXAMPLES)
@given(choices)
def test_a_choice_is_kept_as_the_table_of_flows_says(choice: Choice) -> None:
    assert outcome(choice) == by_the_table(choice)


@settings(max_examples=EXAMPLES)
@given(choices)
def test_what_is_kept_is_kept_as_it_is_when_it_is_chosen_again(choice: Choice) -> None:
    kept = outcome(choice)
    if kept is not None:
        assert outcome(kept) == kept
        assert kept.vehicle_type is not None
        assert not {kept.brand_id, kept.model_id} & {"brand_outro", "model_outro", "brand_deleted", "model_deleted"}


_FILES: dict[str, Any] = {
    f"{photo}_file_{part}": value for photo in PHOTOS for part, value in (("name", "n"), ("size", 1))
} | {"serial_number_photo_file_id": None, "vehicle_photo_file_id": None}
HELD = VehicleCreate(
    display_name="d",
    color="Azul",
    serial_number="s",
    serial_number_photo_url="u1",
    vehicle_photo_url="u2",
    has_invoice=True,
    self_declaration=True,
    invoice_photo_url="u3",
    **_FILES,
)
members: dict[str, st.SearchStrategy[Any]] = {
    name: st.integers(0, 2) if name.endswith("_size") else st.sampled_from(["u1", "u2", "u3", "n", "other"])
    for name in VehicleUpdate.__struct_fields__
    if name != "has_invoice"
}


@settings(max_examples=EXAMPLES)
@given(st.fixed_dictionaries({}, optional=members))
def test_a_change_gives_what_it_names_and_clears_only_the_file_of_a_photo_that_is_new(change: dict[str, Any]) -> None:
    after, expected = merge_form(HELD, VehicleUpdate(**change)), asdict(HELD)
    for photo in PHOTOS:
        places = [name for name in (f"{photo}_url", f"{photo}_file_id") if name in expected]
        if any(name in change for name in places):
            expected |= dict.fromkeys(places) | {name: change[name] for name in places if name in change}
        if any(expected[name] != getattr(HELD, name) for name in places):
            expected |= {f"{photo}_file_name": None, f"{photo}_file_size": None}
    assert asdict(after) == expected | change


HOSTS = frozenset({"storage.googleapis.com", "storage.cloud.google.com"})
TOO_LONG = "https://storage.googleapis.com/" + "x" * 2048


@pytest.mark.cases("registry", "M3")
@pytest.mark.parametrize("url", [url for url, is_taken in read_values("registry", "M3") if is_taken], ids=ascii)
def test_an_address_on_an_allowed_server_is_taken_as_it_is(url: str) -> None:
    assert parse_url("foto", url, HOSTS) == url.strip()


@pytest.mark.cases("registry", "M3")
@pytest.mark.parametrize(
    "url",
    [*(url for url, is_taken in read_values("registry", "M3") if not is_taken), TOO_LONG],
    ids=lambda url: ascii(url)[:60],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="`foto`") as refused:
        parse_url("foto", url, HOSTS)
    assert refused.value.code == "foto-invalid"


@settings(max_examples=EXAMPLES)
@given(st.from_regex(r"\Ahttps://[a-z@:./\\#?-]{0,20}(storage\.googleapis\.com)?[a-z@:./\\#?-]{0,20}\Z"))
def test_what_is_taken_leads_every_reader_to_an_allowed_server(url: str) -> None:
    try:
        taken = parse_url("foto", url, HOSTS)
    except Invalid:
        return
    authority = re.split(r"[/\\?#]", taken.removeprefix("https://"), maxsplit=1)[0]
    assert re.fullmatch(r"([a-z-]+\.)*storage\.(googleapis|cloud\.google)\.com", authority)


@pytest.mark.cases("registry", "M11")
@pytest.mark.parametrize(("name", "wanted"), read_values("registry", "M11"))
def test_slugs(name: str, wanted: str) -> None:
    assert make_slug(name) == wanted


@pytest.mark.parametrize("name", ["/", "电动", " - _ ", "!!!"])
def test_a_name_without_a_slug_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="`name`") as refused:
        make_slug(name)
    assert refused.value.code == "name-slug"


@settings(max_examples=EXAMPLES)
@given(st.text(max_size=30))
def test_a_slug_is_an_id_and_its_own_slug(name: str) -> None:
    try:
        found = make_slug(name)
    except Invalid:
        assert not re.search(r"[a-zA-Z0-9]", name)
        return
    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", found)
    assert make_slug(found) == found
    assert fold_name(found) == found


def test_the_colours_are_those_of_the_document() -> None:
    assert list(COLOURS) == read_list("registry", "List", "colours")
