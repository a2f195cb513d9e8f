"""Check the other servers that the platform calls: CRM, mail and Redis."""

import httpx
from redis.asyncio import Redis
from redis.exceptions import RedisError

from balcao.core.mail import MailFolder, MailRefused, create_mailer
from balcao.operate.certificates import describe_distrust, is_distrust
from balcao.operate.doctor.checks import DOWN, STOPPED, TIMEOUT_SECONDS, UP, Check, Part, Subject


async def _check_crm(subject: Subject) -> Part:
    settings = subject.settings
    if not settings.crm_configured:
        return Part(STOPPED, {"configured": False})
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.crm_client_id,
        "client_secret": settings.crm_client_secret.get_secret_value(),
    }
    try:
        response = await subject.http.post(f"{settings.crm_url}/services/oauth2/token", data=form)
    except httpx.HTTPError as fault:
        if settings.sandbox_crm:
            return Part(STOPPED, {"configured": True})
        if is_distrust(fault):
            return Part(DOWN, {"configured": True}, [describe_distrust(settings.crm_url)])
        return Part(DOWN, {"configured": True}, [f"O CRM não responde em {settings.crm_url}: confira BALCAO_CRM_URL."])
    if response.is_success:
        return Part(UP, {"configured": True, "token": True})
    refused = "O CRM recusou o token: confira BALCAO_CRM_CLIENT_ID e BALCAO_CRM_CLIENT_SECRET."
    return Part(DOWN, {"configured": True, "token": False}, [refused])


async def _check_mail(subject: Subject) -> Part:
    """Check whether the mail server accepts our login. In the sandbox, e-mails may be written to a folder instead."""
    mailer = create_mailer(subject.settings)
    if isinstance(mailer, MailFolder):
        state = UP if subject.settings.data_dir.exists() else STOPPED
        return Part(state, {"configured": False, "folder": str(mailer.folder)})
    if mailer is None:
        return Part(STOPPED, {"configured": False})
    try:
        await mailer.check()
    except MailRefused as fault:
        return Part(DOWN, {"configured": True}, [f"O servidor de BALCAO_SMTP_URL não pôde ser usado ({fault.code})."])
    return Part(UP, {"configured": True})


async def _check_redis(subject: Subject) -> Part:
    """Check whether Redis or Valkey responds."""
    try:
        async with Redis.from_url(
            subject.settings.redis_url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
        ) as redis:
            await redis.execute_command("PING")  # type: ignore[no-untyped-call]  # `ping` is typed for both clients
    except (RedisError, OSError, ValueError):
        return Part(DOWN, problems=["O Redis não responde: confira BALCAO_REDIS_URL e se está no ar."])
    return Part(UP)


CRM = Check(
    name="CRM",
    part="crm",
    looks_at="the CRM of `BALCAO_CRM_URL`, by asking it for a token",
    wrong="no answer, a certificate that this machine does not trust, or a refusal of the client",
    remedy="correct `BALCAO_CRM_URL`, `BALCAO_CRM_CLIENT_ID` or `BALCAO_CRM_CLIENT_SECRET`; install the "
    "city's certificate authority",
    examine=_check_crm,
)
MAIL = Check(
    name="mail",
    part="mail",
    looks_at="the server of `BALCAO_SMTP_URL`, by logging in; nothing is sent",
    wrong="no answer, or a refusal",
    remedy="correct `BALCAO_SMTP_URL` ([e-mail](../operate/e-mail.md))",
    examine=_check_mail,
)
REDIS = Check(
    name="Redis",
    part="redis",
    looks_at="the Redis or Valkey of `BALCAO_REDIS_URL`",
    wrong="no answer",
    remedy="start it, or correct the address",
    examine=_check_redis,
    is_due=lambda settings: bool(settings.redis_url),
)
