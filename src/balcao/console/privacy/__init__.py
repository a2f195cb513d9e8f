"""The data protection officer: who saw whom, copies, anonymisation, retention, proofs of consent."""

from balcao.console.privacy.pages import AREA

__all__ = ["AREA"]
