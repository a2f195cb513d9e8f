"""The licence check: each component declares an SPDX licence that is compatible with ours."""

from collections.abc import Collection
from importlib.metadata import PackageMetadata

from cyclonedx.spdx import fixup_id
from license_expression import ExpressionError, LicenseSymbol, get_spdx_licensing

_SPDX = get_spdx_licensing()
# Classifiers that mean exactly one licence. "BSD License" is not among them, because it may mean any of three.
_CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "License :: OSI Approved :: The Unlicense (Unlicense)": "Unlicense",
}


class Refused(Exception):
    """Raised if a release cannot be made. The message gives the reason and the remedy."""


def read_licence(package: PackageMetadata) -> str | None:
    """Return the licence that a package declares, as an SPDX expression, or None if it is unclear."""
    if declared := package.get_all("License-Expression"):
        return str(declared[0])
    if known := fixup_id("".join(package.get_all("License", []))):
        return known
    classified = [one for one in package.get_all("Classifier", []) if one.startswith("License :: OSI Approved")]
    return _CLASSIFIERS.get(classified[0]) if len(classified) == 1 else None


def check_licence(name: str, licence: str | None, accepted: Collection[str]) -> str:
    """Return the normalized SPDX expression. Raises Refused unless all licences of one alternative are accepted."""
    if licence is None:
        raise Refused(f"A licença de {name} é desconhecida: leia-a e escreva-a em tools/release/licences.toml.")
    try:
        expression = _SPDX.parse(licence, validate=True)
    except ExpressionError as fault:
        raise Refused(f"A licença de {name} não se entende ({licence}): {fault}") from None
    if not _accepts(expression, frozenset(accepted)):
        raise Refused(f"A licença de {name} ({licence}) não está entre as aceitas em tools/release/licences.toml.")
    return str(expression.render())


def _accepts(expression: object, accepted: frozenset[str]) -> bool:
    if isinstance(expression, _SPDX.OR):
        return any(_accepts(one, accepted) for one in expression.args)
    if isinstance(expression, _SPDX.AND):
        return all(_accepts(one, accepted) for one in expression.args)
    return isinstance(expression, LicenseSymbol) and expression.key in accepted
