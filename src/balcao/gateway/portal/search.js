// The list of all pages is the index: what is typed hides the entries that have not all of its words.
const form = document.getElementById("search");
const field = document.getElementById("q");
const said = document.getElementById("said");

// "Açúcar" is found by "acucar", and the other way round.
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const entries = Array.from(document.querySelectorAll("li[data-entry]"), (item) => ({
  item,
  text: fold(`${item.textContent} ${item.querySelector("a").getAttribute("href")} ${item.dataset.words ?? ""}`),
}));
const sections = document.querySelectorAll("section[data-section]");

function search() {
  const words = fold(field.value).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { item, text } of entries) {
    item.hidden = !words.every((word) => text.includes(word));
    count += item.hidden ? 0 : 1;
  }
  for (const section of sections) section.hidden = !section.querySelector("li:not([hidden])");
  said.textContent = words.length ? said.dataset.said.replace("{}", count) : "";
  history.replaceState(null, "", words.length ? `?q=${encodeURIComponent(field.value)}` : location.pathname);
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", search);
field.value = new URLSearchParams(location.search).get("q") ?? "";
search();
