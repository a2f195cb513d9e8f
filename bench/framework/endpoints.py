"""The platform's own endpoints under uvicorn, to measure framework and server separately."""

from balcao import app as platform_app
from balcao.gateway.asgi import AsgiApplication
from bench.framework.serving import read_settings, serve


def main() -> None:
    """Serve the services that `make bench` measures."""
    settings = read_settings()
    services = [service.name for service in platform_app.SERVICES]
    application = AsgiApplication(platform_app.build_application(settings, str(settings.database_url), services))
    serve(application, settings.port, headers=[("server", "balcao")])


if __name__ == "__main__":
    main()
