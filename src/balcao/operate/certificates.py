"""Explain errors in calls to servers whose certificate this machine does not trust."""

import ssl


def is_distrust(fault: BaseException) -> bool:
    """Return whether a call failed because this machine does not trust the server's certificate."""
    causes = [fault]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)


def describe_distrust(address: str) -> str:
    """Return the sentence for the operator about a certificate that this machine does not trust."""
    return (
        f"O certificado de {address} não é de quem esta máquina confia: se a cidade tem uma autoridade própria, "
        "inclua o certificado dela em /usr/local/share/ca-certificates, execute `update-ca-certificates` e indique em "
        "SSL_CERT_FILE o arquivo inteiro, /etc/ssl/certs/ca-certificates.crt."
    )
