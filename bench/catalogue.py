"""A generated city catalogue of any size for search benchmarks. It is the same every time."""

import random
import uuid
from collections.abc import Iterator
from typing import Any

SEED = 2026
UPDATED_AT = 1_790_000_000

# The department, objects and actions for each theme.
THEMES: dict[str, tuple[str, list[str], list[str]]] = {
    "Tributos": (
        "Secretaria de Fazenda",
        [
            "IPTU",
            "ISS",
            "ITBI",
            "taxa de coleta de lixo",
            "contribuição de iluminação",
            "dívida ativa",
            "nota fiscal de serviços",
            "certidão de débitos",
            "cadastro mobiliário",
            "auto de infração",
        ],
        ["Parcelamento", "Isenção", "Restituição", "Emissão de guia", "Revisão", "Consulta", "Impugnação"],
    ),
    "Saúde": (
        "Secretaria de Saúde",
        [
            "consulta médica",
            "exame de imagem",
            "vacina",
            "medicamento",
            "prontuário",
            "cirurgia eletiva",
            "fisioterapia",
            "atendimento odontológico",
            "pré-natal",
            "teste rápido",
        ],
        ["Agendamento", "Solicitação", "Retirada", "Remarcação", "Consulta", "Encaminhamento", "Cancelamento"],
    ),
    "Educação": (
        "Secretaria de Educação",
        [
            "vaga em creche",
            "matrícula escolar",
            "histórico escolar",
            "transporte escolar",
            "merenda",
            "uniforme",
            "educação de jovens e adultos",
            "declaração escolar",
            "bolsa de estudos",
            "material didático",
        ],
        ["Inscrição", "Renovação", "Solicitação", "Transferência", "Emissão", "Consulta", "Recurso"],
    ),
    "Cidade": (
        "Secretaria de Conservação",
        [
            "calçada",
            "praça",
            "árvore",
            "luminária",
            "boca de lobo",
            "ponto de ônibus",
            "passarela",
            "muro",
            "parque infantil",
            "mobiliário urbano",
        ],
        ["Reparo", "Limpeza", "Vistoria", "Instalação", "Remoção", "Pintura", "Manutenção"],
    ),
    "Trânsito": (
        "Companhia de Trânsito",
        [
            "semáforo",
            "sinalização",
            "faixa de pedestres",
            "multa",
            "vaga especial",
            "carga e descarga",
            "radar",
            "ciclovia",
            "estacionamento rotativo",
            "guincho",
        ],
        ["Implantação", "Recurso", "Autorização", "Credenciamento", "Revisão", "Denúncia", "Consulta"],
    ),
    "Licenças": (
        "Secretaria de Desenvolvimento Econômico",
        [
            "alvará",
            "licença sanitária",
            "licença ambiental",
            "habite-se",
            "publicidade",
            "feira livre",
            "food truck",
            "evento",
            "obra particular",
            "comércio ambulante",
        ],
        ["Concessão", "Renovação", "Baixa", "Transferência", "Alteração", "Consulta prévia", "Vistoria"],
    ),
    "Servidor": (
        "Secretaria de Administração",
        [
            "férias",
            "contracheque",
            "licença médica",
            "aposentadoria",
            "vale-transporte",
            "tempo de serviço",
            "plano de saúde",
            "auxílio-creche",
            "avaliação de desempenho",
            "progressão",
        ],
        ["Requerimento", "Consulta", "Averbação", "Revisão", "Emissão", "Marcação", "Cancelamento"],
    ),
    "Cidadania": (
        "Secretaria de Assistência Social",
        [
            "cesta básica",
            "cadastro social",
            "abrigo",
            "benefício eventual",
            "passe livre",
            "documento civil",
            "casa de acolhida",
            "orientação jurídica",
            "conselho tutelar",
            "centro de convivência",
        ],
        ["Solicitação", "Atualização", "Inscrição", "Atendimento", "Encaminhamento", "Denúncia", "Renovação"],
    ),
}
PLACES = [
    "Centro",
    "Zona Norte",
    "Zona Sul",
    "Porto Velho",
    "Jardim das Marés",
    "Ilha Grande",
    "Vila Nova",
    "Alto da Serra",
    "Praia do Farol",
    "Boa Vista",
    "Campo Largo",
    "Santa Luzia",
    "Bela Aurora",
    "Lagoa",
    "Ribeira",
    "Mirante",
]
FOR_WHOM = [
    "pessoas físicas",
    "empresas",
    "idosos",
    "estudantes",
    "condomínios",
    "entidades sem fins lucrativos",
    "microempreendedores",
    "servidores",
    "gestantes",
    "pessoas com deficiência",
]
HOW = [
    "pela internet",
    "por telefone",
    "no balcão",
    "por aplicativo",
    "com hora marcada",
    "por procuração",
    "em mutirão",
]
AUDIENCES = ["Público em geral", "Idosos", "Empresários", "Estudantes", "Mulheres", "Famílias", "Profissionais"]
DOCUMENTS = [
    "Documento de identidade com foto",
    "Comprovante de residência recente",
    "CPF",
    "Formulário assinado",
    "Comprovante de renda",
    "Protocolo anterior",
    "Procuração com firma reconhecida",
    "Certidão atualizada",
]
LAWS = [
    "Lei Municipal nº 1.204, de 2011",
    "Decreto nº 3.518, de 2019",
    "Lei Orgânica do Município",
    "Resolução nº 12, de 2022",
]
SENTENCES = [
    "O pedido é analisado pela equipe responsável e a resposta chega pela sua conta.",
    "Quem mora na cidade pode pedir {objeto} sem intermediários e sem custo.",
    "O prazo começa a contar quando todos os documentos estiverem completos.",
    "Depois da análise, acompanhe o andamento de {objeto} com o número do protocolo.",
    "O atendimento presencial acontece em {lugar}, de segunda a sexta, das nove às dezessete horas.",
    "Em caso de indeferimento cabe recurso em quinze dias, dirigido à chefia da unidade.",
    "A vistoria é marcada por mensagem; alguém maior de idade precisa estar no local.",
    "Guarde os comprovantes: eles podem ser pedidos durante a fiscalização de {objeto}.",
    "As regras valem para {publico} e também para seus representantes legais.",
    "O serviço fica suspenso em feriados municipais e durante a manutenção do sistema.",
    "Valores e prazos são atualizados todos os anos por decreto publicado no diário oficial.",
    "Se houver pendência, o sistema avisa e o pedido volta para correção.",
    "Este serviço não cobre situações de urgência, que devem ser comunicadas por telefone.",
    "A unidade de {lugar} orienta quem não tem acesso à internet ou precisa de ajuda.",
    "Informe o endereço completo, com ponto de referência, para que a equipe encontre o local.",
]  # fmt: skip


def make_services(number: int) -> Iterator[dict[str, Any]]:
    """Yield published services as they are stored. Their names are unique."""
    chance = random.Random(SEED)  # noqa: S311 - the same catalogue everywhere, nothing secret
    for place in range(number):
        yield _make_service(chance, place)


def _make_service(chance: random.Random, place: int) -> dict[str, Any]:
    theme = chance.choice(list(THEMES))
    organ, objects, actions = THEMES[theme]
    thing, action, region = chance.choice(objects), chance.choice(actions), chance.choice(PLACES)
    whom, how = chance.choice(FOR_WHOM), chance.choice(HOW)
    name = f"{action} de {thing} para {whom} {how}, {region} {place}"
    filling = {"objeto": thing, "lugar": region, "publico": whom}
    summary = f"{action} de {thing} {how} para {whom} que moram em {region}."
    description = " ".join(sentence.format(**filling) for sentence in chance.sample(SENTENCES, chance.randint(6, 14)))
    documents = chance.sample(DOCUMENTS, 3)
    service_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    return make_document(
        id=service_id,
        nome_servico=name,
        orgao_gestor=[organ],
        resumo=summary,
        descricao_completa=description,
        documentos_necessarios=documents,
        legislacao_relacionada=chance.sample(LAWS, 1),
        tema_geral=theme,
        sub_categoria=thing.capitalize(),
        publico_especifico=chance.sample(AUDIENCES, 2),
        is_free=chance.random() < 0.8,
        last_update=UPDATED_AT - chance.randint(0, 400) * 86_400,
        slug=f"servico-{place}-{service_id[:8]}",
    )


def make_document(**members: Any) -> dict[str, Any]:
    """Return a published service with these members.

    All other members have defaults, and the derived texts are added.
    """
    empty = {
        "tempo_atendimento": "Até 10 dias úteis",
        "custo_servico": "Gratuito",
        "resultado_solicitacao": "Pedido concluído.",
        "instrucoes_solicitante": "Faça o pedido com a sua conta e acompanhe pelo número do protocolo.",
        "canais_digitais": [],
        "canais_presenciais": [],
        "servico_nao_cobre": "",
        "fixar_destaque": False,
        "awaiting_approval": False,
        "published_at": UPDATED_AT,
        "agents": None,
        "extra_fields": {},
        "status": 1,
        "buttons": [],
        "autor": "Estela Ramos",
        "created_at": UPDATED_AT,
        "last_update": UPDATED_AT,
        "search_content": members["nome_servico"],
        "slug_history": [],
    }
    whole = empty | members
    for name in (
        "resumo",
        "resultado_solicitacao",
        "descricao_completa",
        "instrucoes_solicitante",
        "documentos_necessarios",
    ):
        whole[f"{name}_plaintext"] = whole[name]
    return whole
