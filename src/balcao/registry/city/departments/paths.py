"""The department in a path."""

from balcao.core.http.operations import path_text

DepartmentInPath = path_text(r"^.{1,50}$", "Código da unidade administrativa", "1100")
