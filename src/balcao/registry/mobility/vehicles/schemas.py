"""Wire types for vehicles (rules: registry 3.6)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.values.page import Pagination
from balcao.registry.members import CpfForViewer, CreatedAt, UpdatedAt
from balcao.registry.mobility.catalogue.schemas import BrandName, ColourName, ModelName, TypeOfVehicle, TypeText

DisplayName: TypeAlias = Annotated[
    str, Meta(description="Nome que o dono dá ao veículo, até 50 caracteres.", examples=["Bicicleta do trabalho"])
]
SerialNumber: TypeAlias = Annotated[
    str, Meta(description="Número de série gravado no veículo, de 4 a 40 caracteres.", examples=["BRISA-2026-0042"])
]
PhotoUrl: TypeAlias = Annotated[
    str,
    Meta(
        description="Endereço https da foto, em um dos servidores que a prefeitura aceita.",
        examples=["https://storage.googleapis.com/porto-aurora-demo/foto.jpg"],
    ),
]
PhotoFileId: TypeAlias = Annotated[
    str,
    Meta(
        description="Id de uma imagem (JPEG ou PNG) que o dono enviou, em lugar do endereço da foto.",
        examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e71"],
    ),
]
InvoiceUrl: TypeAlias = Annotated[
    str,
    Meta(
        description="Endereço https da foto da nota fiscal; obrigatório com `has_invoice` verdadeiro.",
        examples=["https://storage.googleapis.com/porto-aurora-demo/nota.jpg"],
    ),
]
FileName: TypeAlias = Annotated[
    str, Meta(description="Nome do arquivo da foto, até 255 caracteres.", examples=["foto.jpg"])
]
# The maximum size is the largest integer that JSON parsers with floating-point numbers represent exactly.
FileSize: TypeAlias = Annotated[
    int, Meta(ge=0, le=2**53 - 1, description="Tamanho do arquivo da foto, em bytes.", examples=[204800])
]
StoredFileSize: TypeAlias = Annotated[
    int | None, Meta(description="Tamanho do arquivo da foto, em bytes.", examples=[204800])
]
HasInvoice: TypeAlias = Annotated[bool, Meta(description="Se há nota fiscal do veículo.", examples=[False])]
ChosenBrand: TypeAlias = Annotated[
    str, Meta(description="Id de uma marca do catálogo; vazio ou nulo para nenhuma.", examples=["brand_brisa"])
]
ChosenModel: TypeAlias = Annotated[
    str,
    Meta(
        description="Id de um modelo do catálogo, da marca escolhida; vazio ou nulo para nenhum.",
        examples=["model_brisa_urbana"],
    ),
]
OtherBrand: TypeAlias = Annotated[
    str, Meta(description="Marca que não está no catálogo, até 50 caracteres.", examples=["Artesanal"])
]
OtherModel: TypeAlias = Annotated[
    str, Meta(description="Modelo que não está no catálogo, até 50 caracteres.", examples=["Montada em casa"])
]


class VehicleCreate(msgspec.Struct, kw_only=True):
    """A vehicle to register.

    There are three flows: brand and model come from the catalogue, only the brand does, or neither does. Each of the
    two photos has either an address or a file. In a stored vehicle, the other one is None.
    """

    display_name: DisplayName
    color: ColourName
    serial_number: SerialNumber
    serial_number_photo_url: PhotoUrl | UnsetType = UNSET
    vehicle_photo_url: PhotoUrl | UnsetType = UNSET
    has_invoice: HasInvoice
    self_declaration: Annotated[
        bool, Meta(description="Declaração de que os dados são verdadeiros; deve ser verdadeiro.", examples=[True])
    ]
    brand_id: ChosenBrand | None = None
    brand_other: OtherBrand | None = None
    model_id: ChosenModel | None = None
    model_other: OtherModel | None = None
    vehicle_type: TypeText | None = None
    invoice_photo_url: InvoiceUrl | None = None
    serial_number_photo_file_name: FileName | None = None
    serial_number_photo_file_size: FileSize | None = None
    vehicle_photo_file_name: FileName | None = None
    vehicle_photo_file_size: FileSize | None = None
    invoice_photo_file_name: FileName | None = None
    invoice_photo_file_size: FileSize | None = None
    serial_number_photo_file_id: PhotoFileId | UnsetType = UNSET
    vehicle_photo_file_id: PhotoFileId | UnsetType = UNSET


class VehicleUpdate(msgspec.Struct, kw_only=True):
    """A change to a vehicle. Omitted members do not change. Null or an empty string clears a brand or model."""

    display_name: DisplayName | UnsetType = UNSET
    color: ColourName | UnsetType = UNSET
    serial_number: SerialNumber | UnsetType = UNSET
    serial_number_photo_url: PhotoUrl | UnsetType = UNSET
    vehicle_photo_url: PhotoUrl | UnsetType = UNSET
    has_invoice: HasInvoice | UnsetType = UNSET
    brand_id: ChosenBrand | UnsetType | None = UNSET
    brand_other: OtherBrand | UnsetType | None = UNSET
    model_id: ChosenModel | UnsetType | None = UNSET
    model_other: OtherModel | UnsetType | None = UNSET
    vehicle_type: TypeText | UnsetType = UNSET
    invoice_photo_url: InvoiceUrl | UnsetType | None = UNSET
    serial_number_photo_file_name: FileName | UnsetType = UNSET
    serial_number_photo_file_size: FileSize | UnsetType = UNSET
    vehicle_photo_file_name: FileName | UnsetType = UNSET
    vehicle_photo_file_size: FileSize | UnsetType = UNSET
    invoice_photo_file_name: FileName | UnsetType = UNSET
    invoice_photo_file_size: FileSize | UnsetType = UNSET
    serial_number_photo_file_id: PhotoFileId | UnsetType = UNSET
    vehicle_photo_file_id: PhotoFileId | UnsetType = UNSET


class VehicleRole(StrEnum):
    """The role of the person in the path: the vehicle's owner or a driver."""

    OWNER = "owner"
    CONDUCTOR = "conductor"


class VehicleItem(msgspec.Struct, kw_only=True):
    """A vehicle in a list. `conductor_id` appears only for drivers and is the id of the driver's own link.

    `vehicle_photo_file_id` appears only if the photo is an uploaded file, not an address.
    """

    id: Annotated[str, Meta(description="Id do veículo.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e70"])]
    display_name: DisplayName | None
    registration_number: Annotated[str, Meta(description="Número de registro na prefeitura.", examples=["PA000001"])]
    brand_id: ChosenBrand | None
    brand_other: OtherBrand | None
    brand_name: BrandName | None
    model_id: ChosenModel | None
    model_other: OtherModel | None
    model_name: ModelName | None
    vehicle_type: TypeOfVehicle
    color: ColourName
    vehicle_photo_url: PhotoUrl | None
    role: Annotated[
        VehicleRole, Meta(description="O cidadão é dono (`owner`) ou condutor (`conductor`).", examples=["owner"])
    ]
    conductor_id: Annotated[
        str | UnsetType,
        Meta(
            description="Id do vínculo do próprio condutor; ausente para o dono.",
            examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"],
        ),
    ] = UNSET
    vehicle_photo_file_id: PhotoFileId | UnsetType = UNSET


class VehicleDetail(VehicleItem, kw_only=True):
    """A full vehicle. The owner's data comes from their merged record. `deleted_at` appears only if it is set."""

    owner_cpf: CpfForViewer
    owner_name: Annotated[str | None, Meta(description="Nome do dono, do seu cadastro.", examples=["Ana Beatriz"])]
    owner_phone: Annotated[
        str | None, Meta(description="Telefone do dono, do seu cadastro.", examples=["+5521990000001"])
    ]
    owner_email: Annotated[
        str | None, Meta(description="E-mail do dono, do seu cadastro.", examples=["ana@pessoa.example"])
    ]
    serial_number: SerialNumber | None
    serial_number_photo_url: PhotoUrl | None
    serial_number_photo_file_name: FileName | None
    serial_number_photo_file_size: StoredFileSize
    vehicle_photo_file_name: FileName | None
    vehicle_photo_file_size: StoredFileSize
    has_invoice: HasInvoice
    invoice_photo_url: InvoiceUrl | None
    invoice_photo_file_name: FileName | None
    invoice_photo_file_size: StoredFileSize
    self_declaration: Annotated[
        bool, Meta(description="Se o dono declarou que os dados são verdadeiros.", examples=[True])
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt
    serial_number_photo_file_id: PhotoFileId | UnsetType = UNSET
    deleted_at: Annotated[
        datetime | UnsetType,
        Meta(description="Quando foi excluído (RFC 3339); ausente enquanto vale.", examples=["2026-05-02T12:30:00Z"]),
    ] = UNSET


class Vehicles(msgspec.Struct):
    """A page of a citizen's vehicles."""

    data: Annotated[list[VehicleItem], Meta(description="Veículos, do mais novo ao mais antigo.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de veículos.")]
