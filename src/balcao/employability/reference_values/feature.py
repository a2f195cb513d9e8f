"""The reference values of resumes and jobs."""

from balcao.core.feature import Feature
from balcao.employability.reference_values import api, store
from balcao.employability.reference_values.imports import IMPORTS

FEATURE = Feature(routes=api.routes.declared, imports=IMPORTS, exports=store.EXPORTS)
