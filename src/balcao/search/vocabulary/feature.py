"""The words that the catalogue knows."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.search.vocabulary import jobs

FEATURE = Feature(jobs=jobs.JOBS, exports=Exports(derived=("search.known_words",)))
