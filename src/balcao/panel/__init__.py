"""The panel (`/painel`): the pages for staff, operators and citizens.

The panel is a client of the services like any other (ADR 0015). It calls them over HTTP with the person's own token,
and therefore has no rights and no rules of its own. It stores only sessions, drafts and unfinished work. Each area is a
folder that declares its pages, and `areas.py` lists the areas.
"""
