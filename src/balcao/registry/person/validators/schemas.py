"""Wire types of the validators (rules: registry 2.4). What is not valid has empty texts."""

import msgspec


class PhoneQuestion(msgspec.Struct):
    phone: str


class PhoneVerdict(msgspec.Struct):
    """`numero` is the whole national number, or for `ddi` 55 what follows the `ddd`."""

    valid: bool
    message: str
    ddi: str = ""
    ddd: str = ""
    numero: str = ""
    e164: str = ""
    region: str = ""


class EmailQuestion(msgspec.Struct):
    email: str


class EmailVerdict(msgspec.Struct):
    valid: bool
    message: str
    local_part: str = ""
    domain: str = ""
    normalized: str = ""
    validation_type: str = "format_and_structure"
