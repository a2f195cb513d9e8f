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
    registering,
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
    registering.pages,
    vehicles.pages,
    conductors.pages,
    pets.pages,
    account.pages,
)
