// Adds a button to each code block that copies the block's text.
const words = { "pt-BR": ["Copiar", "Copiado"], en: ["Copy", "Copied"] }[document.documentElement.lang];
for (const block of document.querySelectorAll(".copied")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words[0];
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = words[1];
    setTimeout(() => (button.textContent = words[0]), 2000);
  });
  if (navigator.clipboard) block.append(button);
}
