"""The CPFs of the demo people that tests use, by username."""

from balcao_sandbox.identity import demo

_CPFS = {person.username: person.cpf for person in demo.people()}
ANA = _CPFS["ana"]
BRUNO = _CPFS["bruno"]
CARLA = _CPFS["carla"]
DAVI = _CPFS["davi"]
GABRIELA = _CPFS["gabriela"]
GILDA = _CPFS["gilda"]
JOAO = _CPFS["joao"]
KATIA = _CPFS["katia"]
KLEBER = _CPFS["kleber"]
LUIZ = _CPFS["luiz"]
MARINA = _CPFS["marina"]
