"""Our TypeScript client, installed from its package where there is nothing else, runs every operation's example."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.clients import built
from tests.clients.examples import check_outcomes, write_calls
from tests.support import node
from tests.support.sandbox import Sandbox
from tests.support.sizes import report

pytestmark = [pytest.mark.node, pytest.mark.sdk]

RUN = Path(__file__).with_name("run-examples.mjs")
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


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typescript-client")
    return built.install_typescript(built.build_typescript(folder), folder / "project")


def test_the_examples_of_every_operation_run(sandbox: Sandbox, project: Path) -> None:
    (project / RUN.name).write_text(RUN.read_text("utf-8"), "utf-8")
    done = subprocess.run(
        ["node", RUN.name, sandbox.url],
        cwd=project,
        input=write_calls(sandbox),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = check_outcomes(done.stdout, sandbox, kinds=1)
    report(f"operations in TypeScript: {Counter(outcome for _, _, outcome in outcomes)}")


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (PAGE, None),
        (PAGE.replace("readPreferences(cpf)", "readPreferences(1)"), "Argument of type 'number'"),
        (PAGE.replace(".opt_in;", ".optIn;"), "Property 'optIn' does not exist"),
    ],
    ids=["right", "a wrong value", "a member that is not there"],
)
def test_a_page_that_uses_it_is_checked(project: Path, tmp_path: Path, text: str, mistake: str | None) -> None:
    (tmp_path / "node_modules").symlink_to(project / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    (tmp_path / "page.ts").write_text(text, "utf-8")
    options = "--strict --noEmit --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck"
    checked = node.run("tsc", *options.split(), "page.ts", folder=tmp_path)
    assert (mistake in checked.stdout) if mistake else checked.returncode == 0, checked.stdout
