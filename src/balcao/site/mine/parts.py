"""The parts of Minha página."""

from balcao.site.mine import account, applying, belongings, home, record, resume, work

PARTS = (home.pages, work.pages, applying.pages, resume.pages, record.pages, belongings.pages, account.pages)
