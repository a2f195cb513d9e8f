"""Wire types for the platform's state (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


class ReplicaStatus(msgspec.Struct):
    """A replica as the responding process sees it."""

    name: Annotated[str, Meta(description="Servidor e porta.", examples=["replica-1.interno:5432"])]
    lag_seconds: Annotated[
        float | None,
        Meta(description="Atraso provado, em segundos; nulo enquanto nada se lê dela.", examples=[0.8]),
    ]
    fault: Annotated[
        str | None,
        Meta(description="Por que nada se lê dela, como código; nulo se está bem.", examples=["replica-behind"]),
    ]


class IssuerStatus(msgspec.Struct):
    """An identity provider as the responding process sees it."""

    issuer: Annotated[str, Meta(description="Emissor.", examples=["https://identidade.cidade.example/realms/cidade"])]
    keys: Annotated[int, Meta(description="Chaves de assinatura conhecidas.", examples=[2])]
    age_seconds: Annotated[
        float | None,
        Meta(description="Há quantos segundos foram lidas; nulo se ainda não foram.", examples=[120.5]),
    ]


class ProcessCounts(msgspec.Struct):
    """The number of processes with a recent heartbeat, and the number of those that fell silent in the last hour."""

    beating: Annotated[int, Meta(description="Processos vivos.", examples=[4])]
    silent: Annotated[int, Meta(description="Processos que pararam de dar sinal sem terminar bem.", examples=[0])]


class JobCounts(msgspec.Struct):
    """The number of jobs of all kinds, by state."""

    queued: Annotated[int, Meta(description="Tarefas à espera.", examples=[12])]
    running: Annotated[int, Meta(description="Tarefas em execução.", examples=[3])]
    dead: Annotated[int, Meta(description="Tarefas que falharam de vez.", examples=[0])]
    oldest_due_seconds: Annotated[
        float | None, Meta(description="Espera da mais antiga já devida, em segundos; nulo se nenhuma.", examples=[1.5])
    ]


class PlatformState(msgspec.Struct):
    """The state of the platform's parts. Each process has its own view of replicas and providers."""

    version: Annotated[str, Meta(description="Versão do processo que responde.", examples=["1.2.0 (1f3e5a7c9b2d)"])]
    database: Annotated[str, Meta(description="Versão do PostgreSQL.", examples=["18.1"])]
    replicas: Annotated[list[ReplicaStatus], Meta(description="Réplicas de leitura.")]
    identity: Annotated[list[IssuerStatus], Meta(description="Provedores de identidade.")]
    processes: Annotated[ProcessCounts, Meta(description="Processos de todas as máquinas.")]
    jobs: Annotated[JobCounts, Meta(description="Tarefas de todos os tipos.")]
    maintenance: Annotated[list[str], Meta(description="Serviços em manutenção.", examples=[["search"]])]


class ProcessStatus(msgspec.Struct):
    """A process of the platform."""

    id: Annotated[str, Meta(description="Id do processo.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"])]
    name: Annotated[str, Meta(description="Papel e número, como nos logs e nas métricas.", examples=["api-0"])]
    host: Annotated[str, Meta(description="Máquina.", examples=["balcao-1"])]
    version: Annotated[str, Meta(description="Versão do programa.", examples=["1.2.0 (1f3e5a7c9b2d)"])]
    services: Annotated[
        list[str],
        Meta(description="Serviços que atende; vazio em quem só executa tarefas.", examples=[["registry", "search"]]),
    ]
    started_at: Annotated[datetime, Meta(description="Início (RFC 3339).", examples=["2026-03-02T09:00:00Z"])]
    beat_at: Annotated[
        datetime, Meta(description="Último sinal de vida (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    beats: Annotated[bool, Meta(description="Se deu sinal de vida no último minuto.", examples=[True])]


class Processes(msgspec.Struct):
    """The processes of all machines."""

    data: Annotated[list[ProcessStatus], Meta(description="Processos, por máquina e nome.")]


class SchemaVersion(msgspec.Struct):
    """The applied migrations of one schema."""

    owner: Annotated[str, Meta(description="Serviço, `platform` ou `panel`.", examples=["registry"])]
    migration: Annotated[str, Meta(description="Última migração aplicada.", examples=["0002_shipped_values.sql"])]
    applied: Annotated[int, Meta(description="Quantas foram aplicadas.", examples=[2])]
    applied_at: Annotated[
        datetime, Meta(description="Quando foi a última (RFC 3339).", examples=["2026-03-02T03:00:00Z"])
    ]


class Versions(msgspec.Struct):
    """The versions of the running processes, and the applied migrations of the schemas."""

    versions: Annotated[
        list[str], Meta(description="Versões dos processos vivos.", examples=[["1.2.0 (1f3e5a7c9b2d)"]])
    ]
    schemas: Annotated[list[SchemaVersion], Meta(description="Migrações aplicadas, por serviço.")]
