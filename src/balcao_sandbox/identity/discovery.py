"""The provider's discovery document (OpenID Connect Discovery 1.0)."""

from typing import Any

from balcao_sandbox.identity.authorization import PEOPLE_SCOPES, RESPONSE_MODES
from balcao_sandbox.identity.realm import Realm
from balcao_sandbox.identity.tokens import ALGORITHM

_CLAIMS = "sub iss aud azp exp iat auth_time name given_name family_name preferred_username cpf email email_verified"


def build_document(realm: Realm) -> dict[str, Any]:
    """Return the realm's discovery document."""
    base = f"{realm.issuer}/protocol/openid-connect"
    scopes = {scope for client in realm.clients.values() for scope in client.scopes}
    return {
        "issuer": realm.issuer,
        "authorization_endpoint": f"{base}/auth",
        "token_endpoint": f"{base}/token",
        "userinfo_endpoint": f"{base}/userinfo",
        "jwks_uri": f"{base}/certs",
        "end_session_endpoint": f"{base}/logout",
        "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
        "response_types_supported": ["code"],
        "response_modes_supported": list(RESPONSE_MODES),
        "code_challenge_methods_supported": ["S256"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "scopes_supported": [*PEOPLE_SCOPES, *sorted(scopes)],
        "claims_supported": _CLAIMS.split(),
        "backchannel_logout_supported": True,
        "backchannel_logout_session_supported": True,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "authorization_response_iss_parameter_supported": True,
    }
