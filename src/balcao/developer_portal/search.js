// The list of all pages is the index: typing hides the entries that do not contain every word.
const form = document.getElementById("search");
const field = document.getElementById("q");
const said = document.getElementById("said");

// Ignore accents: "acucar" finds "Açúcar", and "açúcar" finds "Acucar".
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const entries = Array.from(document.querySelectorAll("li[data-entry]"), (item) => {
  const text = fold(`${item.textContent} ${item.querySelector("a").getAttribute("href")} ${item.dataset.words ?? ""}`);
  return { item, text, words: new Set(text.split(/[^\p{L}\p{N}]+/u)) };
});
const sections = document.querySelectorAll("section[data-section]");

// Return whether one insertion, deletion, replacement or swap of adjacent letters turns one word into the other.
function isNear(typed, word) {
  if (Math.abs(typed.length - word.length) > 1 || typed.length < 4) return false;
  let start = 0;
  while (start < typed.length && typed[start] === word[start]) start += 1;
  const [a, b] = [typed.slice(start), word.slice(start)];
  const isSwap = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return isSwap || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}

function show(matches) {
  let count = 0;
  for (const entry of entries) {
    entry.item.hidden = !matches(entry);
    count += entry.item.hidden ? 0 : 1;
  }
  return count;
}

function search() {
  const words = fold(field.value).split(/\s+/).filter(Boolean);
  let text = said.dataset.said;
  let count = show((entry) => words.every((word) => entry.text.includes(word)));
  if (!count) {
    // Codes such as "valor-length" are listed under "<field>-length".
    const fits = (entry, word) =>
      [word, `<field>-${word.split("-").pop()}`].some((each) => entry.text.includes(each)) ||
      word.split("-").every((part) => [...entry.words].some((other) => part === other || isNear(part, other)));
    count = show((entry) => words.every((word) => fits(entry, word)));
    if (count) text = said.dataset.near;
  }
  for (const section of sections) section.hidden = !section.querySelector("li:not([hidden])");
  said.textContent = words.length ? text.replace("{}", count) : "";
  history.replaceState(null, "", words.length ? `?q=${encodeURIComponent(field.value)}` : location.pathname);
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("input", search);
field.value = new URLSearchParams(location.search).get("q") ?? "";
search();
