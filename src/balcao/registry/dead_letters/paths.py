"""The number of a job in a path."""

from balcao.core.http.operations import path_text

LetterInPath = path_text(r"^[1-9][0-9]{0,17}$", "Número da tarefa", "4711")
