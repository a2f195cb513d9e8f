"""Wire types of the phone and its verification (rules: registry 2.3, 2.4)."""

import msgspec


class PhoneBody(msgspec.Struct):
    """`ddd` is needed for `ddi` 55 only."""

    ddi: str
    valor: str
    ddd: str | None = None


class ConfirmationBody(PhoneBody, kw_only=True):
    code: str
