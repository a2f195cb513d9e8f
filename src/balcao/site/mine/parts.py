"""The parts of Minha página."""

from balcao.site.mine import account, applying, asking, belongings, home, pets, record, requests, resume, work

PARTS = (
    home.pages,
    work.pages,
    requests.pages,
    asking.pages,
    applying.pages,
    resume.pages,
    record.pages,
    belongings.pages,
    pets.pages,
    account.pages,
)
