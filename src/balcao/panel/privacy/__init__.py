"""The data protection officer's pages: the audit trail, copies, anonymisation, retention, and proofs of consent."""

from balcao.panel.privacy.pages import AREA

__all__ = ["AREA"]
