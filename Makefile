# Works as root and as an ordinary user. Needs only git, make and Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check install
# One process more than there are cores, because many tests wait for processes that they have started. With two more, CI
# was slower. xdist must not reorder the files: the few long files would start last and run while the other
# processes are idle.
SPREAD := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist loadfile --no-loadscope-reorder
PYTEST := $(BIN)/python -m pytest $(SPREAD)
# The tests that a change usually breaks: module boundaries, access rules, declarations, hostile tokens, the contract table
# and convergence. Only `make test` checks the citations and runs the table against services in separate processes.
APART := tests/contract/test_contract.py::test_the_contract_table_holds[independent]
QUICK := --deselect tests/invariants/test_citations.py --deselect '$(APART)' tests/core/test_rules.py tests/core/test_catalogue.py tests/core/test_worker.py tests/invariants \
	tests/contract/test_contract.py tests/registry/mirror/test_convergence.py tests/registry/consent/test_preferences.py
STYLED := src tests bench tools clients
# Coverage costs 60 % more CPU time, so CI does not measure it. `make coverage` fails below the minimum in pyproject.toml.
COVERAGE := --cov --cov-report=term
# CI logs the slowest tests.
DURATIONS := $(if $(CI),--durations=40)
PIN := $(BIN)/pip-compile --quiet --allow-unsafe --generate-hashes \
	--no-header --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options
COMPILE := $(PIN) --build-deps-for=editable
# A lock file that constrains another one must not contain extras. The lock file of the tests needs them: pytest-cov
# requires `coverage[toml]`, and pip before 23.3 (in Debian 12 and Python 3.11) does not match it with a line without
# `[toml]`.
WITHOUT_EXTRAS := --strip-extras
WITH_EXTRAS := --no-strip-extras
# Runs a module of the tests that record the histories of a complete installation under faults.
CITY = missing() { echo "Para isto é preciso ter Go, nginx e Redis, e para CLUSTER=1 o etcd." >&2; exit 1; }; \
	BALCAO_HISTORIES=$$(tools/histories) BALCAO_NGINX=$$(tools/nginx) BALCAO_REDIS=$$(tools/redis) || missing; \
	BALCAO_S3_SERVER=$$(tools/s3/server) || missing; export BALCAO_HISTORIES BALCAO_NGINX BALCAO_REDIS BALCAO_S3_SERVER; \
	$(if $(CLUSTER),BALCAO_PATRONI=$$(tools/patroni) || missing; export BALCAO_PATRONI;) exec $(BIN)/python
# Lists the requirements of the trial, except `balcao` itself, which no package index has.
SANDBOX := $(BIN)/python -c 'import tomllib; \
	needs = tomllib.load(open("src/balcao_sandbox/pyproject.toml", "rb"))["project"]["dependencies"]; \
	print(*(one for one in needs if not one.startswith("balcao==")), sep="\n")'

# Allow bytecode files even if the environment forbids them. Otherwise each of the many processes compiles the code again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help version run test quick coverage mutants previous prove cluster histories hours bench attacks lint types pythons openapi examples docs generated clients lock clean structure release

help: ## mostra esta lista
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.run ## instala e inicia tudo; Ctrl-C encerra, os dados ficam em .balcao
	@$(BIN)/balcao serve

test: $(VENV)/.dev ## instala o que os testes pedem e executa todos, menos os longos; FILE=tests/x.py só esses
ifdef FILE
	@PYTEST='$(PYTEST)' tools/test $(FILE)
else
	@PYTEST='$(PYTEST) $(DURATIONS)' tools/test
	@$(MAKE) --no-print-directory -j 3 lint types pythons
	@[ -n "$$CI$$BALCAO_LONG" ] || echo "Os testes longos e os das outras versões do Python NÃO foram executados: \`BALCAO_LONG=1 make test\` os inclui, como faz o CI."
	@tools/chromium --quiet || echo "Os testes de páginas NÃO foram executados: não há Chromium nesta máquina."
	@tools/node --quiet || echo "Os testes com ferramentas de Node NÃO foram executados: não há Node nesta máquina."
	@tools/nginx --quiet || echo "Os testes do gateway com o nginx NÃO foram executados: não há nginx nesta máquina."
	@tools/redis --quiet || echo "O teste com o Redis NÃO foi executado: não há Redis nem Valkey nesta máquina."
	@tools/pgbouncer --quiet || echo "O teste com o PgBouncer NÃO foi executado: não há PgBouncer nesta máquina."
	@tools/patroni --quiet || echo "Os testes do cluster com o Patroni NÃO foram executados: faltam o Patroni e o etcd nesta máquina."
	@tools/postgres --quiet || echo "Os testes das cópias de segurança NÃO foram executados: pedem o PostgreSQL do Debian, e root."
	@tools/systemd --quiet || echo "O teste da instalação num Debian com systemd NÃO foi executado: pede root, Debian e espaços de nomes."
	@tools/haproxy --quiet || echo "Os testes do gateway com o HAProxy NÃO foram executados: não há HAProxy nesta máquina."
	@tools/validators --quiet || echo "Os testes com o Envoy e os dos arquivos de instalação NÃO foram executados: as ferramentas não puderam ser instaladas."
	@tools/histories --quiet >/dev/null || echo "Os testes das histórias NÃO foram executados: falta Go nesta máquina."
	@tools/oasdiff --quiet || echo "Os testes da comparação das APIs NÃO foram executados: falta Go nesta máquina."
	@tools/promtool --quiet || echo "O teste das regras de alerta NÃO foi executado: não há promtool nesta máquina."
	@tools/spin --quiet || echo "Os modelos NÃO foram verificados: não há Spin nesta máquina."
endif

quick: $(VENV)/.dev ## o que uma mudança costuma quebrar; da segunda vez em diante, menos de um minuto em dois núcleos livres
	@$(MAKE) --no-print-directory lint types
	@PYTEST='$(PYTEST)' tools/test -q $(QUICK)

coverage: $(VENV)/.dev ## todos os testes, também os longos, medindo as linhas e os desvios que percorrem; falha abaixo do piso
	@rm -f .coverage .coverage.*
	@BALCAO_LONG=1 PYTEST='$(PYTEST) $(COVERAGE)' tools/test

mutants: $(VENV)/.dev ## altera o código das regras e conta o que os testes não percebem; FILE=src/balcao/x só isso, SAMPLE=0 tudo
	@$(BIN)/python -c 'import mutmut' 2>/dev/null || $(PIP) --no-build-isolation -e ".[mutants]"
	@$(BIN)/python -m tools.mutants $(if $(SAMPLE),--sample=$(SAMPLE)) $(FILE)

previous: $(VENV)/.dev ## os testes da última edição, com o código dela, sobre o esquema desta árvore; RELEASE=v1.2.0 os de outra
	@$(BIN)/python -m tools.previous_release $(if $(RELEASE),--release '$(RELEASE)') -- $(SPREAD) $(FILE)

prove: $(VENV)/.dev ## as mesmas provas em tamanho completo; algumas horas
	@BALCAO_PROVE=1 PYTHON='$(PYTHON)' PYTEST='$(PYTEST)' tools/test $(FILE)
	@$(MAKE) --no-print-directory previous
	@tools/clients >/dev/null || echo "As provas dos clientes gerados NÃO foram executadas: faltam Java e Maven nesta máquina."
	@[ "$$(id -u)" = 0 ] || echo "As provas com discos cheios NÃO foram executadas: só root monta discos."
	@tools/manifests --quiet >/dev/null || echo "As provas com o kustomize, o Helm e o leitor do Compose NÃO foram executadas: falta Go nesta máquina."
	@tools/keycloak >/dev/null || echo "As provas com um Keycloak de verdade NÃO foram executadas: faltam Java e Maven nesta máquina."

histories: $(VENV)/.dev ## cada recurso sob cada falha, numa instalação inteira, julgado pelas regras; SEED=7 repete as escolhas, CLUSTER=1 usa três bancos
	@$(CITY) -m tests.histories.table $(if $(SEED),--seed=$(SEED)) $(if $(CLUSTER),--cluster)

cluster: $(VENV)/.dev ## um PostgreSQL de três servidores com Patroni perde o líder de cada maneira; uns 15 minutos
	@BALCAO_PROVE=1 PYTEST='$(BIN)/python -m pytest -s' tools/test tests/cluster/test_patroni.py
	@tools/patroni --quiet || echo "O cluster NÃO foi experimentado: faltam o Patroni e o etcd nesta máquina."

hours: $(VENV)/.dev ## duas horas de tudo ao mesmo tempo, com uma falha por minuto e uma atualização no meio; MINUTES=30 muda a duração
	@$(CITY) -m tests.histories.hours $(if $(MINUTES),--minutes=$(MINUTES)) $(if $(SEED),--seed=$(SEED))

bench: $(VENV)/.dev ## mede as operações ao lado das mesmas em Go e em FastAPI
	@$(BIN)/python -m bench

attacks: $(VENV)/.dev ## ataca uma demonstração e mede a espera de dois chamadores educados; URL=http://... ataca uma que está no ar
	@$(BIN)/python -m bench.attacks $(if $(URL),--url=$(URL))

lint: $(VENV)/.dev ## estilo do código, limites entre os módulos, e se openapi/ é o que o código descreve
	@$(BIN)/ruff format --check --quiet $(STYLED)
	@$(BIN)/ruff check $(STYLED)
	@$(BIN)/djlint --check --quiet src || { echo 'Formate os modelos com `$(BIN)/djlint --reformat --quiet src`.' >&2; exit 1; }
	@$(BIN)/python -m tools.prose
	@$(BIN)/balcao openapi --check >/dev/null
	@$(BIN)/python -m tools.compatibility
	@$(BIN)/lint-imports --no-logo

structure: $(VENV)/.dev ## quem importa quem, por grupos, áreas e recursos, e as medidas do código; falha se há um ciclo
	@$(BIN)/python -m tools.structure; found=$$?; echo; $(BIN)/python -m tools.figures; exit $$found

types: $(VENV)/.dev ## tipos
	@$(BIN)/mypy

# Part of the long tests.
pythons: $(VENV)/.dev
	@[ -z "$$CI$$BALCAO_LONG" ] || PYTHON='$(PYTHON)' tools/pythons

openapi: $(VENV)/.run ## escreve as descrições em openapi/
	@$(BIN)/balcao openapi

examples: $(VENV)/.dev ## escreve os exemplos de respostas, como a cidade de demonstração responde, e as descrições em openapi/
	@$(BIN)/balcao openapi
	@BALCAO_WRITE_EXAMPLES=1 $(BIN)/python -m pytest -q -n0 tests/contract/test_response_examples.py -k platform
	@$(BIN)/balcao openapi

generated: docs examples ## tudo o que é gerado e fica no repositório: docs/reference, openapi/ e os exemplos de respostas

docs: $(VENV)/.dev ## escreve docs/reference/errors.md, statements.md, checks.md e licences.md, e docs/proofs/last-run.md
	@$(BIN)/python -m tools.error_codes
	@$(BIN)/python -m tools.statements
	@$(BIN)/python -m tools.doctor_checks
	@$(BIN)/python -m tools.release.page
	@$(BIN)/python -m tools.proof_figures

clients: $(VENV)/.dev ## faz os clientes de Python e de TypeScript em dist/clients; o de TypeScript só onde há Node
	@tools/sdk/install >/dev/null
	@rm -rf dist/clients
	@$(BIN)/python -m clients.generator dist/clients
	@tools/node --quiet || echo "O cliente de TypeScript NÃO foi feito: não há Node nesta máquina."

release: $(VENV)/.dev ## faz a edição do último commit em dist/; RELEASE_KEY=~/.ssh/id_ed25519 a assina
	@$(BIN)/python -m tools.release $(if $(RELEASE_KEY),--key '$(RELEASE_KEY)')

version: $(VENV)/.dev ## escreve VERSION=1.2.0, com a data de hoje, onde a versão aparece; OPEN=1 abre uma que ainda não tem data
	@$(BIN)/python -m tools.release.numbering '$(VERSION)' $(if $(OPEN),--unreleased)

lock: $(VENV)/.dev ## refaz os arquivos de versões; LOCK=--upgrade toma as mais novas
	$(COMPILE) $(WITHOUT_EXTRAS) $(LOCK) --output-file=requirements.lock pyproject.toml
	@$(SANDBOX) | $(PIN) $(WITHOUT_EXTRAS) $(LOCK) --constraint=requirements.lock --output-file=requirements-sandbox.lock -
	$(COMPILE) $(WITHOUT_EXTRAS) $(LOCK) --extra=traces --constraint=requirements.lock --output-file=requirements-traces.lock pyproject.toml
	$(COMPILE) $(WITH_EXTRAS) $(LOCK) --extra=dev --constraint=requirements-traces.lock --constraint=requirements-sandbox.lock \
		--output-file=requirements-dev.lock pyproject.toml

clean: ## apaga o ambiente e o que foi gerado, menos os dados em .balcao
	rm -rf $(VENV) tools/openapi/node_modules tools/openapi/jars tools/openapi/venv tools/sdk/venv tools/cluster/venv tools/deploy/venv tools/deploy/go/bin tools/compatibility/bin tools/s3/bin tests/histories/checker/bin tools/distributions tools/interpreters dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .coverage .coverage.* mutants
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@PYTHON='$(PYTHON)' tools/venv $(VENV)
	@touch $@

$(VENV)/.run: requirements.lock requirements-sandbox.lock pyproject.toml src/balcao_sandbox/pyproject.toml $(VENV)/.made
	@echo "Instalando o Balcão em $(VENV) (só quando as versões mudam)..."
	@$(PIP) --require-hashes -r requirements.lock -r requirements-sandbox.lock
	@$(PIP) --no-deps --no-build-isolation -e . -e src/balcao_sandbox
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Instalando o que os testes pedem em $(VENV)..."
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@
