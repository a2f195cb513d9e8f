"""Our TypeScript client, installed from its package, runs the operations' examples."""

import json
import re
import subprocess
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.clients import client_builds
from tests.clients.examples import check_outcomes, list_calls, read_outcomes
from tests.support import npm_tools
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import report
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

RUN = Path(__file__).with_name("run-examples.mjs")
LAYER = Path(__file__).with_name("layer.test.mjs")
STRICT = "--strict --noEmit --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck"
PAGE = """import { Balcao, etagOf, Fault, type RegistrySchemas } from "@balcao/client";

const balcao = new Balcao("http://127.0.0.1:1", () => "token");
export async function change(cpf: string, body: RegistrySchemas["PreferencesBody"]): Promise<boolean> {
  const preferences = await balcao.registry.readPreferences(cpf);
  const ifMatch = etagOf(preferences);
  try {
    return (await balcao.registry.changePreferences(cpf, body, ifMatch === undefined ? {} : { ifMatch })).opt_in;
  } catch (fault) {
    if (fault instanceof Fault && fault.status === 412) return false;
    throw fault;
  }
}
"""
COST = """import type {{ SearchSchemas }} from "@balcao/client";

export const cost: SearchSchemas["ServiceCost"] = {{ tipo: "{kind}", valor_centavos: 3520 }};
"""
PAGES = {
    "right.ts": PAGE,
    "wrong-value.ts": PAGE.replace("readPreferences(cpf)", "readPreferences(1)"),
    "no-member.ts": PAGE.replace(".opt_in;", ".optIn;"),
    "cost.ts": COST.format(kind="fixo"),
    "no-cost.ts": COST.format(kind="barato"),
    "boolean.ts": PAGE + "await balcao.search.listAllProposals({ awaiting_approval: true });\n",
    "no-boolean.ts": PAGE + 'await balcao.search.listAllProposals({ awaiting_approval: "true" });\n',
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return client_builds.install_typescript(
        client_builds.build_typescript_once(), tmp_path_factory.mktemp("typescript-client")
    )


def test_what_is_shown_of_every_operation_runs(sandbox: Sandbox, project: Path) -> None:
    (project / RUN.name).write_text(RUN.read_text("utf-8"), "utf-8")
    calls = [asdict(call) for call in list_calls(sandbox)]
    for call in calls:
        call["file"] = f"./{call['service']}.{call['key']}.mjs"
        (project / call["file"]).write_text(call["typescript"], "utf-8")
    done = subprocess.run(
        ["node", RUN.name],
        cwd=project,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = check_outcomes(read_outcomes(done.stdout), sandbox, kinds=1)
    report(f"operations in TypeScript: {Counter(outcome for _, _, outcome in outcomes)}")


def test_what_it_does_by_itself_is_what_its_own_tests_say(project: Path) -> None:
    """The client's own tests cover tokens, retries, versions, pages, streams and webhooks."""
    (project / LAYER.name).write_text(LAYER.read_text("utf-8"), "utf-8")
    done = subprocess.run(
        ["node", "--test", LAYER.name], cwd=project, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r"^# (tests|pass) (\d+)$", done.stdout, re.MULTILINE))
    assert found["tests"] == found["pass"] != "0"


def test_what_is_shown_of_an_operation_is_typed_strictly(sandbox: Sandbox, project: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(project / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    # The package does not contain Node's types. The examples need only the type that is declared here.
    (tmp_path / "node.d.ts").write_text("declare const process: { env: { TOKEN?: string } };", "utf-8")
    for call in list_calls(sandbox):
        (tmp_path / f"{call.service}.{call.key}.ts").write_text(call.typescript, "utf-8")
    checked = npm_tools.run(
        "tsc", *STRICT.split(), *sorted(file.name for file in tmp_path.glob("*.ts")), folder=tmp_path
    )
    assert checked.returncode == 0, checked.stdout


@pytest.fixture(scope="module")
def mistakes(project: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Compile all pages in one run and return the output. Most of the time is spent on reading the client's types."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "node_modules").symlink_to(project / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    for name, text in PAGES.items():
        (folder / name).write_text(text, "utf-8")
    return npm_tools.run("tsc", *STRICT.split(), *PAGES, folder=folder).stdout


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("right.ts", None),
        ("wrong-value.ts", "Argument of type 'number'"),
        ("no-member.ts", "Property 'optIn' does not exist"),
        ("cost.ts", None),
        ("no-cost.ts", "Type '\"barato\"' is not assignable"),
        ("boolean.ts", None),
        ("no-boolean.ts", "Type 'string' is not assignable to type 'boolean | undefined'"),
    ],
)
def test_a_page_that_uses_it_is_checked(mistakes: str, name: str, mistake: str | None) -> None:
    found = [line for line in mistakes.splitlines() if line.startswith(f"{name}(")]
    assert (mistake in found[0]) if mistake else found == []
