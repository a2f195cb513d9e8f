"""Letters of invitations that could not be sent, to an operator."""

from balcao.core.jobs.declaration import About
from balcao.registry.mobility.invitations import store
from balcao.registry.mobility.invitations.service import JOB

ABOUT = About(JOB, "conductor", store.invitees, store.invitations_of, store.skip)
