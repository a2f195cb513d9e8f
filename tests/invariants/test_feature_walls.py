"""Features of a service are separate: each owns its tables and SQL, and declares the functions that others may call.

Other features may call its `service.py`, and use the statements that its store lists in OFFERED.
"""

import ast
import re
from collections import defaultdict

from tests.invariants.sources import SOURCE, Text, code_of, folder_of, graph, is_store, texts, texts_of
from tools import structure

# Platform modules that contain SQL but belong to no feature. These modules count as stores.
PLATFORM_STORES = {
    "core/access/catalogue.py",
    "core/access/counts.py",
    "core/access/live.py",
    "core/access/sessions.py",
    "core/audit/chain.py",
    "core/audit/platform_data.py",
    "core/audit/retention.py",
    "core/context/audit.py",
    "core/context/tickets.py",
    "core/http/health.py",
    "core/context/idempotency.py",
    "core/jobs/queue.py",
    "core/jobs/tables.py",
    "core/jobs/worker.py",
    "core/live/backups.py",
    "core/live/call_log.py",
    "core/live/incidents.py",
    "core/live/processes.py",
    "core/live/response_counts.py",
}
# Other places with strings that look like SQL: the database layer, the management of PostgreSQL, and the client of the
# CRM, which has its own query language.
ELSEWHERE = ("core/database/", "operate/postgresql/", "crm/")
# The modules of services, and the other modules that may import services.
SERVICES = tuple(f"{service}." for service in structure.services(graph()))
COMPOSITION = ("balcao.app", "balcao.cli", "balcao.operate", "balcao.__main__")
_THIN = '''
async def read(connection, cpf):
    """Return it."""
    return await store.read(connection, cpf)
async def lock(connection, *, shared):
    await other_store.lock(connection, shared=shared)
async def find(connection, cpf):
    return await store.find(connection, cpf.digits)
async def erase(connection, cpf):
    return await registry.erase(connection, cpf)
'''
# The name of a part of an SQL statement: a function that returns the part, or a constant.
_PART = re.compile(r"[a-z_]+_sql|[A-Z_]+_SQL")


def holds_sql(text: Text) -> bool:
    """Return whether the string is SQL in a file that may not contain SQL."""
    may = is_store(text.file) or text.file.startswith(ELSEWHERE) or text.file in PLATFORM_STORES
    return text.is_sql and not may


def writers(found: list[Text]) -> dict[str, set[str]]:
    """Return the folders that write each table. All of `core` counts as one folder."""
    by_table: dict[str, set[str]] = defaultdict(set)
    for text in found:
        folder = "core" if text.file.startswith("core/") else text.file.rpartition("/")[0]
        for table in text.written:
            by_table[table].add(folder)
    return by_table


def handed_on(code: str, folder: str) -> list[str]:
    """Return the functions that a `service.py` re-exports from its own store."""
    found = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.ImportFrom) and is_store(node.module or "") and folder_of(node.module or "") == folder:
            found += [alias.name for alias in node.names if alias.name.islower()]
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            value = node.value.value
            if isinstance(value, ast.Name) and is_store(value.id) and node.value.attr.islower():
                found.append(node.value.attr)
    return found


def names_taken(code: str, module: str) -> list[str]:
    """Return the names imported from the module, or the module's name if the code imports the module itself."""
    parent, _, own = module.rpartition(".")
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in found if node.module == module for alias in node.names]
    return names + [own for node in found if node.module == parent for alias in node.names if alias.name == own]


def statements_offered(code: str) -> set[str]:
    """Return the names that a store lists in OFFERED."""
    return {
        name.id
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
        if [target.id for target in node.targets if isinstance(target, ast.Name)] == ["OFFERED"]
        for name in node.value.elts
        if isinstance(name, ast.Name)
    }


def only_calls_its_store(function: ast.AsyncFunctionDef) -> bool:
    """Return whether a function does nothing but call a store function with exactly its own parameters."""
    body = [part for part in function.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    match body:
        case [ast.Return(ast.Await(ast.Call(ast.Attribute(ast.Name(module)), args, keywords)))] | [
            ast.Expr(ast.Await(ast.Call(ast.Attribute(ast.Name(module)), args, keywords)))
        ]:
            given = [*args, *(keyword.value for keyword in keywords)]
            taken = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            names = [one.id for one in given if isinstance(one, ast.Name)]
            return is_store(module) and len(names) == len(given) and names == [one.arg for one in taken]
    return False


def test_sql_stands_in_stores_only() -> None:
    assert [f"{text.file}:{text.line}" for text in texts() if holds_sql(text)] == []


def test_every_table_is_written_by_one_feature() -> None:
    several = {table: folders for table, folders in writers(texts()).items() if len(folders) > 1}
    assert several == {}


def test_a_store_is_imported_by_its_own_feature_only() -> None:
    """Other stores may import parts of statements, and other features may use the statements that the store offers."""
    strangers = {
        (importer, module, name)
        for module in graph().modules
        if is_store(module)
        for importer in graph().find_modules_that_directly_import(module)
        if folder_of(importer) != folder_of(module)
        for name in names_taken(code_of(importer), module)
        if name not in statements_offered(code_of(module))
        if not (is_store(importer) and _PART.fullmatch(name))
    }
    assert strangers == set()


def test_use_cases_and_stores_know_no_http() -> None:
    # Decoding is allowed, because a use case may receive the bytes of a body.
    found = {
        (module, imported)
        for module in graph().modules
        if module.startswith(SERVICES) and (is_store(module) or module.endswith("service"))
        for imported in graph().find_modules_directly_imported_by(module)
        if imported.startswith("balcao.core.http.") and imported != "balcao.core.http.decoding"
    }
    assert found == set()


def test_no_service_hands_on_a_function_of_its_store() -> None:
    found = {
        str(file.relative_to(SOURCE)): names
        for file in SOURCE.rglob("service.py")
        if (names := handed_on(file.read_text("utf-8"), ".".join(("balcao", *file.relative_to(SOURCE).parent.parts))))
    }
    assert found == {}


def test_no_service_calls_its_store_for_others_alone() -> None:
    """If the service adds no rule to a store function, the store must offer the function directly."""
    found = [
        f"{file.relative_to(SOURCE)}: {node.name}"
        for file in SOURCE.rglob("service.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.AsyncFunctionDef) and only_calls_its_store(node)
    ]
    assert found == []


def test_every_statement_that_is_offered_is_called_by_another_feature() -> None:
    taken = {
        (module, name)
        for module in graph().modules
        if is_store(module)
        for importer in graph().find_modules_that_directly_import(module)
        if folder_of(importer) != folder_of(module)
        for name in names_taken(code_of(importer), module)
    }
    offered = {
        (module, name) for module in graph().modules if is_store(module) for name in statements_offered(code_of(module))
    }
    assert len(offered) > 20
    assert offered - taken == set()


def test_schemas_reach_no_store() -> None:
    schemas = [module for module in graph().modules if module.endswith(".schemas")]
    stores = [module for module in graph().modules if is_store(module) and ".core." not in module]
    assert len(schemas) > 20
    found = [
        (schema, store)
        for schema in schemas
        for store in stores
        if graph().chain_exists(importer=schema, imported=store)
    ]
    assert found == []


def test_only_the_composition_imports_services() -> None:
    services = structure.services(graph())
    found = {
        (importer, module)
        for service in services
        for module in {service, *graph().find_descendants(service)}
        for importer in graph().find_modules_that_directly_import(module)
        if not importer.startswith((*COMPOSITION, f"{service}.")) and importer != service
    }
    assert found == set()


def test_every_folder_with_routes_or_a_store_is_a_feature() -> None:
    of_service = tuple(f"{service}." for service in structure.services(graph()))
    folders = {
        folder_of(module)
        for module in graph().modules
        if module.startswith(of_service) and module.rpartition(".")[2] in {"api", "service", "store", "jobs"}
    }
    assert folders - structure.list_features(graph()) == set()


def test_no_picture_has_a_cycle() -> None:
    pictures = dict(structure.pictures(graph()))
    assert {heading: structure.cycle(found) for heading, found in pictures.items()} == dict.fromkeys(pictures)


def test_a_hole_in_a_wall_is_seen() -> None:
    (sql,) = texts_of('_READ = f"\\nSELECT {name} FROM registry.company"', "registry/city/companies/service.py")
    assert holds_sql(sql)
    assert not holds_sql(sql._replace(file="registry/city/companies/store.py"))
    assert not holds_sql(sql._replace(value="Select one of these."))
    one, other = (Text(f"registry/{folder}/store.py", 1, "UPDATE registry.pet SET a = 1") for folder in ("a", "b"))
    assert writers([one, other]) == {"registry.pet": {"registry/a", "registry/b"}}
    assert handed_on("from balcao.a.store import read, Row\nfind = store.find\n", "balcao.a") == ["read", "find"]
    taken = "from balcao.a.store import one_sql, read_one\nfrom balcao.a import store"
    assert names_taken(taken, "balcao.a.store") == ["one_sql", "read_one", "store"]
    assert [bool(_PART.fullmatch(name)) for name in ("one_sql", "ONE_SQL", "read_one", "store")] == [1, 1, 0, 0]
    assert statements_offered("async def one(): ...\nOFFERED = (one,)\nothers = (two,)") == {"one"}
    assert [only_calls_its_store(one) for one in ast.parse(_THIN).body if isinstance(one, ast.AsyncFunctionDef)] == [
        True,
        True,
        False,
        False,
    ]
    assert structure.cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None
