"""The parts of Minha página."""

from balcao.site.mine import account, belongings, home, record, work

PARTS = (home.pages, work.pages, record.pages, belongings.pages, account.pages)
