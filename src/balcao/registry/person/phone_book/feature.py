"""The phone book: numbers, whom they reach, and the quarantine of recycled ones."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.registry.person.phone_book import api, demo
from balcao.registry.person.phone_book.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    routes=api.routes.declared,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("registry.phone_book", "registry.phone_book_entry")),
)
