// Updates the risk board and shows its age. After two minutes without contact, it warns that the board is outdated: by
// then, the services have stopped returning colours. A stream sends the board after each change. Without a stream, the
// page polls every few seconds.
(() => {
  const STALE_SECONDS = 120;
  const LATE_SECONDS = 25;
  const AGAIN_SECONDS = 10;
  let confirmed = Date.now();
  let stream = null;
  let isStreaming = false;

  const find = () => document.querySelector("[data-board]");

  const describe = (seconds) => {
    if (seconds < 60) return `há ${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes === 1 ? "há 1 minuto" : `há ${minutes} minutos`;
  };

  const show = () => {
    const board = find();
    if (!board) return;
    const age = Math.max(0, Math.floor((Date.now() - confirmed) / 1000));
    const isLive = age < LATE_SECONDS;
    const isStale = age >= STALE_SECONDS;
    const word = isLive ? "Ao vivo" : `Parado: conferido ${describe(age)}`;
    const shown = board.querySelector("[data-live-word]");
    if (shown.textContent !== word) shown.textContent = word;
    board.querySelector("[data-live]").classList.toggle("lost", !isLive);
    board.querySelector("[data-stale]").hidden = !isStale;
    board.querySelector("[data-stale-age]").textContent = describe(age);
    board.classList.toggle("stale", isStale);
    board.dataset.by = isStreaming ? "stream" : "asking";
  };

  const lose = () => {
    isStreaming = false;
    show();
  };

  const listen = () => {
    const board = find();
    if (!board || stream) return;
    stream = new EventSource(`${board.dataset.board}?sequencia=${board.dataset.sequence}`);
    stream.addEventListener("vivo", (event) => {
      isStreaming = true;
      confirmed = Math.max(confirmed, Date.now() - Number(event.data) * 1000);
      show();
    });
    stream.addEventListener("quadro", (event) => {
      // Replace only the elements that differ, so that the focus is not lost and screen readers announce the status
      // line.
      const board = find();
      htmx.swap(board, event.data, { swapStyle: "morph:outerHTML" }, { contextElement: board });
      show();
    });
    stream.onerror = () => {
      lose();
      // The browser does not retry a stream that could not be opened. Open a new stream later, starting at the version
      // that the board then shows.
      if (stream.readyState !== EventSource.CLOSED) return;
      stream = null;
      setTimeout(listen, AGAIN_SECONDS * 1000);
    };
  };

  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (isStreaming && event.target.matches("[data-board]")) event.preventDefault();
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.target.closest("[data-board]")) confirmed = Date.now();
    show();
  });
  document.body.addEventListener("htmx:afterSettle", show);
  setInterval(() => {
    // A hanging connection reports no error. Poll again if no heartbeat arrives.
    if (isStreaming && Date.now() - confirmed > 2 * LATE_SECONDS * 1000) lose();
    show();
  }, 1000);
  listen();
  show();
})();
