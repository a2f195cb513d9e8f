"""The panel (`/painel`): screens of staff, operators and citizens, a client of the services like any other (ADR 0015).

It asks the services over HTTP with the person's own token, so it has no right, no rule and no data of its own beyond
sessions, drafts and work under way. Each area is a folder that declares its pages; `areas.py` lists the areas.
"""
