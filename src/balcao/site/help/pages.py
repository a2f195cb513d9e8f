"""Pages for help, appearance and privacy."""

from typing import Any

from balcao.core.http.responses import Response, redirect
from balcao.site.appearance import SIZES, THEMES, choose_appearance
from balcao.site.declaration import Area, MenuEntry, Pages
from balcao.site.faults import make_not_found
from balcao.site.visit import Head, Visit

pages = Pages("help", "")


@pages.get("/ajuda", "Ajuda")
async def show_help(visit: Visit) -> Response[Any]:
    """Show how to reach the city, and answer frequent questions about the site."""
    return visit.show(
        "help/help.html",
        Head(
            "Ajuda",
            f"Telefone {visit.site.phone}, atendimento em pessoa e respostas sobre este site.",
            visit.address("help.show_help"),
        ),
    )


@pages.get("/acessibilidade", "Acessibilidade e aparência", footer="about")
async def show_accessibility(visit: Visit) -> Response[Any]:
    """Show the appearance settings, and the accessibility features of the site."""
    return visit.show(
        "help/accessibility.html",
        Head(
            "Acessibilidade e aparência",
            "Letras maiores, cores claras ou escuras, atalhos do teclado e como avisar de um problema.",
            visit.address("help.show_accessibility"),
        ),
        themes=THEMES,
        sizes=SIZES,
        is_saved=visit.query.first("guardado") == "sim",
    )


@pages.post("/acessibilidade", "Guardar a aparência")
async def save_appearance(visit: Visit) -> Response[Any]:
    """Store the chosen appearance in a cookie."""
    chosen = choose_appearance(visit.posted.first("aparencia"), visit.posted.first("letra"))
    address = visit.address("help.show_accessibility", {"guardado": "sim"})
    cookie = chosen.make_cookie(is_secure=visit.site.address.startswith("https://"))
    return redirect(address, 303, cookies=(cookie,))


@pages.get("/entrar", "Entrar", is_indexed=False)
async def log_in(visit: Visit) -> Response[Any]:
    """Redirect to the login for Minha página. This address is easy to say and to type."""
    if not visit.site.has_login:
        raise make_not_found()
    return redirect("/minha-pagina/entrar", 303)


@pages.get("/privacidade", "Privacidade", footer="about")
async def show_privacy(visit: Visit) -> Response[Any]:
    """Explain which data the site stores, and which it does not."""
    return visit.show(
        "help/privacy.html",
        Head(
            "Privacidade",
            "O que este site guarda, o que não guarda e quais são os seus direitos.",
            visit.address("help.show_privacy"),
        ),
    )


AREA = Area(pages, MenuEntry("Ajuda", "help.show_help"))
