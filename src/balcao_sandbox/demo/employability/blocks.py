"""Attempts to apply for jobs that were refused, for the demo data (rules: employability 7)."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.blocks import service
from balcao.employability.selection.eligibility.schemas import Code

DAVI, FABIO = Cpf("90000000418"), Cpf("90000000680")
GENERATED = 10
# Greater than the CPFs of the registry's invented citizens, so that these are different people.
FIRST_STEM = 900_021_000


async def load_demo_blocks(platform: Platform) -> None:
    """Store the refused attempts unless there already are some."""
    call = operator_call(platform, "employability.demo")
    if await service.has_blocks(call):
        return
    await service.record_block(call, DAVI, sandbox_job_id("V2"), [Code.LOWEST_AGE, Code.LANGUAGE])
    await service.record_block(call, FABIO, sandbox_job_id("V1"), [Code.TERMS])
    for number in range(GENERATED):
        cpf = Cpf.with_stem(str(FIRST_STEM + number))
        job, code = (("V2", Code.LOWEST_AGE), ("V5", Code.DISABILITY))[number % 2]
        await service.record_block(call, cpf, sandbox_job_id(job), [code])
