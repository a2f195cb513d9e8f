"""The callers used in the job tests."""

from tests.support.issuer import Issuer, bearer

VISITOR, CITIZEN, MACHINE = "visitor", "citizen", "machine"
EDITOR, CURATED, FOREIGN, ADMIN = "editor sem curadoria", "editor com curadoria", "editor of another", "administrator"
ALL_CALLERS = (VISITOR, CITIZEN, MACHINE, EDITOR, CURATED, FOREIGN, ADMIN)
# Editors in the department of the job.
HELIO, IRENE = "90000030244", "90000030325"
OTHER_EDITOR, GILDA, ANA = "90000040479", "90000030163", "90000000175"
_ROLES = {
    EDITOR: (HELIO, "go:empregabilidade:editor_sem_curadoria"),
    CURATED: (IRENE, "go:empregabilidade:editor_com_curadoria"),
    FOREIGN: (OTHER_EDITOR, "go:empregabilidade:editor_sem_curadoria"),
    ADMIN: (GILDA, "go:empregabilidade:admin"),
}


class Callers:
    """The request headers of each caller."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer

    def __getitem__(self, who: str) -> dict[str, str]:
        if who == VISITOR:
            return {}
        if who == CITIZEN:
            return bearer(self._issuer.person(ANA))
        if who == MACHINE:
            return bearer(self._issuer.machine("painel-saude"))
        cpf, role = _ROLES[who]
        return bearer(self._issuer.person(cpf, name=f"Equipe {who}", realm_access={"roles": [role]}))
