"""The operations of the health units that the area calls. The types contain only the members that its pages use."""

from datetime import date, datetime

import msgspec

from balcao.web.city_map import Outline


class Effects(msgspec.Struct):
    atividades_externas: str
    atendimento_interno: str


class Risk(msgspec.Struct):
    risco: str
    desde: datetime | None
    efeitos: Effects


class Attendance(msgspec.Struct):
    situacao: str
    proxima_abertura: datetime | None
    proximo_fechamento: datetime | None
    calculado_em: datetime


class WholeHours(msgspec.Struct):
    inicio: int
    fim: int


class Unit(msgspec.Struct):
    cnes: str
    nome: str
    tipo: str
    ativa: bool
    area: str | None
    bairro: str | None
    logradouro: str | None
    numero: str | None
    complemento: str | None
    cep: str | None
    telefone: str | None
    celular: str | None
    latitude: float | None
    longitude: float | None
    funcionamento_dia_util: WholeHours | None
    funcionamento_sabado: WholeHours | None
    risco_atual: Risk
    atendimento: Attendance


class Interval(msgspec.Struct):
    inicio: str
    fim: str


class OpenDay(msgspec.Struct):
    data: date
    intervalos: list[Interval]
    motivo: str | None


class OpenDays(msgspec.Struct):
    dias: list[OpenDay]


class AreaMembers(msgspec.Struct):
    area: str
    nome: str


class Area(msgspec.Struct):
    properties: AreaMembers
    geometry: Outline


class AreaMap(msgspec.Struct):
    features: list[Area]
