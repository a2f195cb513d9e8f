// Says how old the board of risk is, and from two minutes on that nobody may trust it: the services say no colour then.
(() => {
  const STALE_SECONDS = 120;
  const LATE_SECONDS = 15;
  let confirmed = Date.now();

  const describe = (seconds) => {
    if (seconds < 60) return `há ${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes === 1 ? "há 1 minuto" : `há ${minutes} minutos`;
  };

  const show = () => {
    const board = document.querySelector("[data-board]");
    if (!board) return;
    const age = Math.floor((Date.now() - confirmed) / 1000);
    const isLive = age < LATE_SECONDS;
    const isStale = age >= STALE_SECONDS;
    const word = isLive ? "Ao vivo" : `Parado: conferido ${describe(age)}`;
    const shown = board.querySelector("[data-live-word]");
    if (shown.textContent !== word) shown.textContent = word;
    board.querySelector("[data-live]").classList.toggle("lost", !isLive);
    board.querySelector("[data-stale]").hidden = !isStale;
    board.querySelector("[data-stale-age]").textContent = describe(age);
    board.classList.toggle("stale", isStale);
  };

  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.target.closest("[data-board]")) confirmed = Date.now();
    show();
  });
  document.body.addEventListener("htmx:afterSettle", show);
  setInterval(show, 1000);
  show();
})();
