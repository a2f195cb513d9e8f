"""The parts of Minha página."""

from balcao.site.mine import (
    account,
    applying,
    asking,
    belongings,
    conductors,
    home,
    pets,
    record,
    requests,
    resume,
    vehicles,
    work,
)

PARTS = (
    home.pages,
    work.pages,
    requests.pages,
    asking.pages,
    applying.pages,
    resume.pages,
    record.pages,
    belongings.pages,
    vehicles.pages,
    conductors.pages,
    pets.pages,
    account.pages,
)
