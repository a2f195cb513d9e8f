"""Messages that explain to the operator why the database cannot be used."""

import asyncpg

from balcao.core.database.leadership import FormerPrimary
from balcao.core.database.pooling import TransactionPooling
from balcao.core.errors import Unavailable

DATABASE_DOWN = "O banco de dados não responde. Confira BALCAO_DATABASE_URL e se o servidor está no ar."
_REFUSED: tuple[tuple[type[Exception], str], ...] = (
    (
        asyncpg.InvalidAuthorizationSpecificationError,
        "O banco de dados recusou o usuário ou a senha de BALCAO_DATABASE_URL.",
    ),
    (asyncpg.InvalidCatalogNameError, "O banco de dados indicado em BALCAO_DATABASE_URL não existe: crie-o antes."),
    (asyncpg.InvalidParameterValueError, "Este banco de dados ainda não foi preparado: execute `balcao migrate`."),
    (
        asyncpg.InsufficientPrivilegeError,
        "O usuário de BALCAO_DATABASE_URL não tem permissão para isto no banco de dados. Confira se o nome em "
        "BALCAO_DATABASE_ROLE é o com que o banco foi preparado; `balcao doctor` diz mais.",
    ),
    (
        asyncpg.ClientConfigurationError,
        "BALCAO_DATABASE_URL não é um endereço de PostgreSQL: use postgresql://usuario:senha@servidor:5432/banco.",
    ),
    (
        asyncpg.TargetServerAttributeNotMatched,
        "Nenhum dos servidores de BALCAO_DATABASE_URL aceita gravações: todos são réplicas. Promova um deles.",
    ),
    (
        FormerPrimary,
        "O único servidor que aceita gravações não serve: outro já foi promovido depois dele, ou ele é de outro "
        "cluster. Pare-o e copie-o do primário atual antes de usá-lo de novo.",
    ),
    (
        TransactionPooling,
        "Um PgBouncer, ou outro intermediário, troca a sessão do PostgreSQL a cada transação, mas o Balcão guarda nela "
        "o papel, travas e avisos. Defina `pool_mode = session` nele, ou aponte BALCAO_DATABASE_URL para o próprio "
        "PostgreSQL.",
    ),
    (asyncpg.DiskFullError, "O disco do servidor PostgreSQL está cheio: libere espaço e repita."),
    (asyncpg.PostgresConnectionError, DATABASE_DOWN),
)


def describe_refusal(fault: BaseException) -> str | None:
    """Return the message for the operator, or None if this module has no message for the exception."""
    if isinstance(fault, Unavailable) and fault.code == "store-away":
        return (fault.__cause__ and describe_refusal(fault.__cause__)) or DATABASE_DOWN
    if isinstance(fault, asyncpg.ProtocolViolationError):
        # PgBouncer uses this code for all of its refusals. The text names parameters, logins and databases, never a
        # password.
        return (
            f"Um PgBouncer, ou outro intermediário, recusou a conexão de BALCAO_DATABASE_URL ({fault}). Aponte para o "
            "próprio PostgreSQL, ou configure o PgBouncer como em docs/operate/install.md."
        )
    return next((sentence for kind, sentence in _REFUSED if isinstance(fault, kind)), None)


# The exceptions that prevent a surface, such as the panel, from using its role, each with the reason for the operator.
_ROLE_REFUSED: tuple[tuple[type[Exception], str], ...] = (
    (asyncpg.InvalidAuthorizationSpecificationError, "o banco recusou o usuário ou a senha"),
    (asyncpg.InsufficientPrivilegeError, "falta o direito de usar o papel, ou o esquema dele"),
    (asyncpg.InvalidParameterValueError, "o papel não existe"),
    (asyncpg.UndefinedObjectError, "o papel não existe"),
)


def explain_surface_refusal(fault: BaseException, title: str, role: str, login: str, switch: str) -> str | None:
    """Return why a surface cannot use `role`, with the SQL that fixes it, or None for any other exception.

    `title` names the surface, and `switch` is the setting that turns it off.
    """
    causes = [each for each in (fault, fault.__cause__) if each is not None]
    why = next((word for kind, word in _ROLE_REFUSED for each in causes if isinstance(each, kind)), None)
    if why is None:
        return None
    statements = [f"CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;  -- se ainda não existe"]
    if login != role:
        statements.append(f"GRANT {role} TO {login};")
    wanted = "\n".join(f"    {statement}" for statement in statements)
    return (
        f"O {title} não consegue trabalhar no banco com o papel {role} e o usuário {login}: {why}. Peça a quem "
        f"administra o PostgreSQL que execute, uma única vez:\n{wanted}\n"
        f"e execute `balcao migrate`, que dá ao papel o esquema do {title}. Sem o {title}: {switch}=false."
    )
