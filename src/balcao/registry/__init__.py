"""The citizen registry: who a citizen is and how the city may contact them."""

from balcao.core.http.dialects import ERROR_AND_MESSAGE, ERROR_TEXT
from balcao.core.service import Service
from balcao.registry import city, consent, crm, mirror, mobility, operation, person, requests, senders
from balcao.registry.dead_letters.api import FEATURE as DEAD_LETTERS
from balcao.registry.lifespan import run_registry
from balcao.registry.rights.api import make_feature as make_rights

# List the mirror first: an erasure runs in this order, and must set the tombstone before other features read what
# remains in the mirror.
_FEATURES = [
    *mirror.FEATURES,
    *person.FEATURES,
    *consent.FEATURES,
    *senders.FEATURES,
    *city.FEATURES,
    *mobility.FEATURES,
    *crm.FEATURES,
    *requests.FEATURES,
    *operation.FEATURES,
]
_RIGHTS = make_rights(feature.personal_data for feature in _FEATURES if feature.personal_data is not None)

SERVICE = Service(
    name="registry",
    prefix="/registry",
    base="/v1",
    title="Balcão: registro do cidadão",
    version="1.0",
    package=__name__,
    features=[*_FEATURES, _RIGHTS, DEAD_LETTERS],
    dialects={"": ERROR_TEXT, "/mobilidade": ERROR_AND_MESSAGE, "/admin/mobilidade": ERROR_AND_MESSAGE},
    description=(
        "Registro do cidadão: dados de base e autodeclarados, preferências e consentimentos, pets, veículos, empresas "
        "e departamentos, em sincronia com o CRM da cidade."
    ),
    tags={
        "citizen": "Os dados de uma pessoa, os de base e os que ela declara.",
        "rights": "Os direitos da pessoa sobre seus dados: acessos, exportação e anonimização.",
        "validators": "Conferências que portais fazem antes de enviar um dado.",
        "settings": "Primeiro acesso e outras escolhas da pessoa nos portais.",
        "avatars": "As imagens que uma pessoa pode escolher e a que escolheu.",
        "preferences": "Por quais canais e sobre o que a pessoa aceita ser avisada, com o histórico.",
        "notification-categories": "Os assuntos de aviso que a cidade oferece.",
        "senders": "O que quem envia mensagens consulta antes de cada envio, e como se sai de uma lista.",
        "phones": "A quem um telefone leva, e se a pessoa aceita mensagens nele.",
        "departments": "Os departamentos da prefeitura e os servidores ligados a eles.",
        "companies": "Empresas, seus sócios e suas atividades.",
        "files": "As fotos e os documentos que a pessoa envia.",
        "pets": "Os animais que a pessoa registra.",
        "mobility": "Veículos de micromobilidade, seus condutores e o catálogo de marcas e modelos.",
        "crm": "A sincronia com o CRM: eventos, espelho e o que espera.",
        "requests": "O que se pede à prefeitura: os tipos de pedido, e os pedidos do recebimento ao fim.",
        "jobs": "Tarefas que pararam por falhas, para quem opera a plataforma.",
        "operation": "O que roda, espera e se importa, e o que se muda sem reiniciar, para quem opera a plataforma.",
    },
    lifespan=run_registry,
)
