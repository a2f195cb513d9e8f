"""Jobs as text, as structured data and as a feed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from balcao.site.jobs.client import Job
from balcao.site.jobs.feed import make_feed
from balcao.site.jobs.posting import describe_posting
from balcao.site.jobs.words import describe_contract, list_demands, summarize_demands
from balcao.web.words import Words, add_article, lower_first

ZONE = ZoneInfo("America/Sao_Paulo")
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi" / "employability.json").read_bytes())
# A job from the recorded responses of the service.
EXAMPLE: dict[str, Any] = DOCUMENT["paths"]["/api/public/empregabilidade/vagas/slug/{slug}"]["get"]["responses"]["200"][
    "content"
]["application/json"]["example"]


def make_job(**members: object) -> Job:
    return msgspec.convert(EXAMPLE | members, Job)


def test_a_job_is_described_in_the_words_of_citizens() -> None:
    job = make_job(
        modelo_trabalho={"descricao": "Remoto"},
        quantidade_estimada_contratacoes=8,
        idade_minima=18,
        escolaridade_minima={"descricao": "Médio completo"},
        idiomas_requisito=[{"idioma": {"descricao": "Inglês"}, "nivel_minimo": {"descricao": "Avançado"}}],
    )
    assert describe_contract(job) == "CLT · A distância · 8 vagas"
    assert summarize_demands(job) == "ensino médio completo ou mais, 18 anos ou mais e inglês avançado ou mais"
    assert list_demands(make_job(idade_minima=16, idade_maxima=24)) == ["de 16 a 24 anos"]
    assert list_demands(make_job(idade_maxima=24)) == ["até 24 anos"]
    places = {"bairros_elegibilidade": ["Centro", "Farol"], "areas_formacao_elegibilidade": ["TI"]}
    assert list_demands(make_job(**places)) == ["morar em Centro ou Farol", "formação em TI"]
    assert summarize_demands(make_job()) == "experiência em confeitaria ou padaria"
    assert summarize_demands(make_job(requisitos=None)) == ""


def test_structured_data_exist_only_while_the_job_accepts_applications() -> None:
    address = "https://cidade.example/vagas/confeiteiro-49c67c23c0e7"
    posting = describe_posting(make_job(), "Porto Aurora", ZONE, address, applies_here=True)
    assert posting is not None
    assert posting["validThrough"] == "2026-12-28T23:59:59-03:00"
    assert posting["datePosted"] == "2026-11-08"
    assert posting["baseSalary"]["value"]["value"] == 2400.0
    assert posting["employmentType"] == "FULL_TIME"
    assert posting["directApply"] is True
    assert "jobLocationType" not in posting
    remote = describe_posting(
        make_job(modelo_trabalho={"descricao": "Remoto"}, valor_vaga=None, data_limite=None),
        "Porto Aurora", ZONE, address, applies_here=False,
    )  # fmt: skip
    assert remote is not None
    assert remote["jobLocationType"] == "TELECOMMUTE"
    assert not {"validThrough", "baseSalary"} & remote.keys()
    for state in ("publicado_expirado", "vaga_congelada", "vaga_descontinuada"):
        assert describe_posting(make_job(status=state), "Porto Aurora", ZONE, address, applies_here=True) is None


def read_feed(jobs: list[Job]) -> ElementTree.Element:
    body = make_feed(
        jobs,
        title="Vagas",
        address="https://cidade.example/vagas?bairro=a%26b",
        own_address="https://cidade.example/vagas/novas.xml?bairro=a%26b",
        link=lambda job: f"https://cidade.example/vagas/{job.slug}",
    )
    root = ElementTree.fromstring(body)  # noqa: S314 - our own feed
    channel = root.find("channel")
    assert channel is not None
    return channel


def test_the_feed_has_what_rss_requires() -> None:
    channel = read_feed([make_job()])
    for name in ("title", "link", "description", "language", "lastBuildDate"):
        assert channel.findtext(name)
    (item,) = channel.findall("item")
    assert item.findtext("title") == "Confeiteiro · Padaria Aurora · Centro"
    assert item.findtext("link") == "https://cidade.example/vagas/confeiteiro-49c67c23c0e7"
    assert item.findtext("guid") == "urn:uuid:49c67c23-c0e7-5c39-9de9-0645636b4e4e"
    assert item.findtext("pubDate") == "Sun, 08 Nov 2026 03:00:00 GMT"
    assert item.findtext("description") == ("R$ 2.400. CLT · Presencial. Pede: experiência em confeitaria ou padaria")
    assert read_feed([]).findall("item") == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_the_feed_is_valid_whatever_a_company_writes(text: str) -> None:
    channel = read_feed([make_job(titulo=text, bairro=text, requisitos=text)])
    assert len(channel.findall("item")) == 1


def test_a_deadline_is_a_day_in_words_with_the_days_left() -> None:
    words, now = Words(ZONE), datetime(2026, 11, 28, 13, 40, tzinfo=UTC)
    deadline = datetime(2026, 12, 29, 2, 59, 59, tzinfo=UTC)
    assert ">28 de dezembro<" in words.format_last_day(deadline, now)
    assert words.count_days_left(deadline, now) == "faltam 30 dias"
    assert words.count_days_left(datetime(2026, 11, 29, 2, 59, 59, tzinfo=UTC), now) == "termina hoje"
    assert words.count_days_left(datetime(2026, 11, 30, 2, 59, 59, tzinfo=UTC), now) == "termina amanhã"
    assert words.count_days_left(now, now) == ""
    assert ">1º de maio de 2027<" in words.format_last_day(datetime(2027, 5, 1, 12, tzinfo=UTC), now)


def test_a_department_gets_its_article_and_a_text_a_small_first_letter() -> None:
    bodies = ("Secretaria de Trabalho", "Conselho Municipal de Saúde", "Procon Municipal", "")
    assert [add_article(name) for name in bodies] == [
        "a Secretaria de Trabalho", "o Conselho Municipal de Saúde", "Procon Municipal", ""
    ]  # fmt: skip
    assert [lower_first(text) for text in ("Médio completo", "TI", "É", "")] == ["médio completo", "TI", "é", ""]
