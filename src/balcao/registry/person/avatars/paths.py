"""The id of an avatar in a path; what is no id is answered as an unknown one."""

from balcao.core.http.operations import path_text

UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
AvatarInPath = path_text(f"^{UUID}$", "Identificador do avatar", "019a7f00-0000-7000-8000-000000000001")
