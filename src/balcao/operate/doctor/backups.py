"""Check what a recovery needs: copies, the log after them, replication slots and replicas."""

from balcao.core.context.platform import make_database
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.core.live.backups import Slot, list_backups, list_slots, read_replication
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject, is_due_in_production
from balcao.operate.doctor.installation import LEAST_FREE_BYTES
from balcao.operate.postgresql.backups import SLOT

# The maximum ages of the newest copy and of the log. A timer makes a copy every night, and `balcao backup follow`
# records its state every minute. The Prometheus alerts use the same limits.
OLDEST_COPY_SECONDS = 36 * 3600
OLDEST_LOG_SECONDS = 600
_RETAINED_SHARE = 0.7
_NEVER = (
    "Ainda não há cópia do servidor do banco: ligue as unidades de backup/, como em docs/operate/backup.md. Se usa "
    "outra ferramenta, acompanhe as cópias por ela."
)


async def _check_backups(subject: Subject) -> Part | None:
    database = make_database(subject.settings, subject.settings.database_url)
    try:
        await database.open()
        async with database.connection() as connection:
            return await examine(connection)
    except Unavailable:  # the database check reports this problem
        return Part(STOPPED)
    finally:
        await database.close()


async def examine(connection: Connection) -> Part:
    """Return the state of copies, log, replication slots and replicas."""
    backups = {backup.kind: backup for backup in await list_backups(connection)}
    slots = await list_slots(connection)
    replication = await read_replication(connection)
    assert replication is not None
    problems, notices = [], []
    copy, log = backups.get("copy"), backups.get("log")
    if copy is None:
        notices.append(_NEVER)
    elif copy.age_seconds > OLDEST_COPY_SECONDS:
        problems.append(
            f"A última cópia do servidor do banco tem {copy.age_seconds / 3600:.0f} horas: `systemctl status "
            "balcao-backup.service balcao-backup.timer` na máquina das cópias."
        )
    if log is not None and log.age_seconds > OLDEST_LOG_SECONDS:
        problems.append(
            f"O log do banco não chega às cópias há {log.age_seconds / 60:.0f} minutos: `systemctl status "
            "balcao-backup-follow` na máquina das cópias. Se o servidor falhar, o que foi gravado desde então se perde."
        )
    if log is not None and SLOT not in {slot.name for slot in slots}:
        problems.append(
            f"O slot de replicação {SLOT} não existe mais, como depois de um failover: liste-o em `slots` do Patroni, "
            "reinicie `balcao-backup-follow` e faça uma cópia nova."
        )
    problems += [
        f"O disco das cópias tem só {backup.free_bytes // 1024**2} MiB livres: libere espaço."
        for backup in backups.values()
        if backup.free_bytes < LEAST_FREE_BYTES
    ][:1]
    for slot in slots:
        problems += _judge_slot(slot, replication.limit_bytes)
    if slots and replication.limit_bytes is None:
        notices.append(
            "max_slot_wal_keep_size não tem limite: um slot que ninguém lê enche o disco do banco e o para. Defina-o, "
            "por exemplo, como a metade do espaço livre."
        )
    details = {
        "backup_age": {kind: round(backup.age_seconds) for kind, backup in backups.items()},
        "slots": {slot.name: "active" if slot.is_active else "inactive" for slot in slots},
        "replicas": replication.replicas,
    }
    return Part(DOWN if problems else UP, details, problems, notices)


def _judge_slot(slot: Slot, limit: int | None) -> list[str]:
    """Return sentences about the problems of a replication slot."""
    if slot.is_lost:
        return [
            f"O servidor apagou o log que o slot {slot.name} ainda não recebeu (max_slot_wal_keep_size): apague o slot "
            "e recrie a réplica, ou faça uma cópia nova."
        ]
    retained = f"{(slot.retained_bytes or 0) / 1024**2:.0f} MiB"
    if not slot.is_active:
        return [
            f"Ninguém lê o slot de replicação {slot.name}, e o servidor guarda {retained} de log para ele: inicie "
            f"quem o lê, ou apague-o com `SELECT pg_drop_replication_slot('{slot.name}')`."
        ]
    if limit is not None and (slot.retained_bytes or 0) > limit * _RETAINED_SHARE:
        return [f"O slot {slot.name} está {retained} atrasado, perto de max_slot_wal_keep_size: veja quem o lê."]
    return []


CHECK = Check(
    name="backups",
    part="backup",
    looks_at="when the database server was last [copied](../operate/backup.md) and when its log last arrived, the "
    "disk of the copies, replication slots, `max_slot_wal_keep_size`, and how many replicas stream",
    wrong="the last copy is older than 36 hours; no log has arrived for 10 minutes; less than 1 GiB is free for the "
    "copies; the slot `balcao_backup` is missing; a slot has no receiver, is far behind, or its log was deleted",
    remedy="start the unit that the message names; make a new copy after a failover; drop a slot without a receiver",
    examine=_check_backups,
    is_due=is_due_in_production,
)
