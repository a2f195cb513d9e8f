"""The site for citizens: server-rendered pages that call the services over HTTP."""
