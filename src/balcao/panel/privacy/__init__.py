"""The data protection officer: who saw whom, copies, anonymisation, retention, proofs of consent."""

from balcao.panel.privacy.pages import AREA

__all__ = ["AREA"]
