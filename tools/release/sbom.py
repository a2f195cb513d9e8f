"""The bill of materials of a release, as CycloneDX JSON, validated against its schema."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component as Entry
from cyclonedx.model.component import ComponentScope, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from tools.release.components import Component
from tools.release.licences import Refused

_VERSION = SchemaVersion.V1_6
_licences = LicenseFactory()


def write_sbom(
    version: str, commit: str, instant: int, files: Mapping[str, str], direct: Iterable[str], parts: Iterable[Component]
) -> str:
    """Return the bill of materials of a release. It depends only on the commit.

    `files` are the SHA-256 values of the files that the release installs, by name. `direct` are the names of the
    platform's own requirements. `instant` is in seconds since 1970. Raises Refused if the document does not match the
    schema.
    """
    parts = list(parts)
    product = Entry(
        name="balcao",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref="balcao",
        purl=PackageURL("pypi", name="balcao", version=version),
        licenses=[_licences.make_from_string("MIT")],
        external_references=[_refer(name, [digest]) for name, digest in files.items()],
    )
    entries = {part.name: _enter(part) for part in parts}
    bom = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"pkg:pypi/balcao@{version}?commit={commit}"),
        metadata=BomMetaData(component=product, timestamp=datetime.fromtimestamp(instant, UTC)),
        components=entries.values(),
    )
    bundled = {part.name for part in parts if part.is_bundled}
    bom.register_dependency(product, [entries[name] for name in sorted({*direct, *bundled})])
    for part in parts:
        bom.register_dependency(entries[part.name], [entries[name] for name in part.requires])
    document = make_outputter(bom, OutputFormat.JSON, _VERSION).output_as_string(indent=2) + "\n"
    check_sbom(document)
    return document


def check_sbom(document: str) -> None:
    """Raise Refused if the document does not match CycloneDX's schema."""
    if fault := JsonStrictValidator(_VERSION).validate_str(document):
        raise Refused(f"A lista de componentes não segue o esquema do CycloneDX: {fault!r}")


def _enter(part: Component) -> Entry:
    # A package has several files, for different kinds of machines. Any of these files may be installed.
    files = () if part.is_bundled else part.hashes
    return Entry(
        name=part.name,
        version=part.version,
        type=ComponentType.LIBRARY,
        bom_ref=part.purl,
        purl=PackageURL.from_string(part.purl),
        scope=ComponentScope(part.scope.value),
        description=part.description or None,
        licenses=[_licences.make_from_string(part.licence)],
        hashes=[] if files else [_hash(digest) for digest in part.hashes],
        external_references=[_refer(part.purl, files)] if files else [],
    )


def _refer(address: str, digests: Iterable[str]) -> ExternalReference:
    return ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION, url=XsUri(address), hashes=[_hash(digest) for digest in digests]
    )


def _hash(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)
