// Translates the English labels of Swagger UI into Portuguese. Texts of the API description are not translated.
const LABELS = {
  "Authorize": "Autorizar",
  "Authorized": "Autorizado",
  "Available authorizations": "Autorizações disponíveis",
  "Cancel": "Cancelar",
  "Clear": "Limpar",
  "Close": "Fechar",
  "Code": "Status",
  "Curl": "Comando curl",
  "Default value": "Valor padrão",
  "Description": "Descrição",
  "Details": "Detalhes",
  "Download": "Baixar",
  "Edit Value": "Exemplo",
  "Example": "Exemplo",
  "Example Value": "Exemplo",
  "Examples": "Exemplos",
  "Execute": "Executar",
  "Expand all": "Abrir tudo",
  "Collapse all": "Fechar tudo",
  "Find more details": "Mais sobre esta operação",
  "Headers:": "Cabeçalhos:",
  "Links": "Ligações",
  "Loading": "Carregando",
  "Logout": "Esquecer o token",
  "Media type": "Tipo do conteúdo",
  "Name": "Nome",
  "No parameters": "Sem parâmetros",
  "No links": "Nenhuma",
  "No operations defined in spec!": "Nenhuma operação encontrada.",
  "Parameters": "Parâmetros",
  "Request URL": "Endereço da chamada",
  "Request body": "Corpo da requisição",
  "Request duration": "Duração da chamada",
  "Reset": "Desfazer",
  "Response body": "Corpo da resposta",
  "Response headers": "Cabeçalhos da resposta",
  "Responses": "Respostas",
  "Schema": "Esquema",
  "Schemas": "Esquemas",
  "Send empty value": "Enviar vazio",
  "Server response": "Resposta do servidor",
  "Servers": "Servidores",
  "Server": "Servidor",
  "Try it out": "Experimentar",
  "Type": "Tipo",
  "Undocumented": "Não descrita",
  "Value:": "Valor:",
  "required": "obrigatório",
  "Controls": "Define o cabeçalho",
  "header.": "",
  "Failed to fetch.": "A chamada não chegou ao servidor.",
};
const ATTRIBUTES = ["placeholder", "aria-label", "title", "alt"];
const ATTRIBUTE_LABELS = {
  "Filter by tag": "Buscar por caminho, resumo ou assunto",
  "Response content type": "Tipo do conteúdo da resposta",
  "Media Type": "Tipo do conteúdo",
  "Request content type": "Tipo do conteúdo da requisição",
  "Copy to clipboard": "Copiar",
  "auth-bearer-value": "Token de acesso",
  "Remove authorization": "Esquecer o token",
  "Apply credentials": "Autorizar com este token",
  "authorization button locked": "Token informado",
  "authorization button unlocked": "Informar token",
  "Expand operation": "Abrir a operação",
  "Collapse operation": "Fechar a operação",
};
// Elements that contain texts of the description.
const DESCRIBED = ".markdown, .renderedMarkdown, .opblock-summary-description, .opblock-summary-path, code, pre, textarea, .title";

const translateText = (node) => {
  const found = LABELS[node.data.trim()];
  if (found !== undefined && !node.parentElement?.closest(DESCRIBED)) node.data = node.data.replace(node.data.trim(), found);
};

const translateAttributes = (element) => {
  // Set an accessible name for the list of a parameter's values, because Swagger UI sets none.
  const parameter = element.matches("select:not([aria-label])") && element.closest("tr[data-param-name]");
  if (parameter) element.setAttribute("aria-label", parameter.dataset.paramName);
  if (element.matches(".close-modal") && !element.hasAttribute("aria-label")) element.setAttribute("aria-label", "Fechar a janela");
  for (const name of ATTRIBUTES) {
    const found = ATTRIBUTE_LABELS[element.getAttribute(name)] ?? (name === "title" ? undefined : LABELS[element.getAttribute(name)]);
    if (found) element.setAttribute(name, found);
  }
};

const translateTree = (root) => {
  if (root.nodeType === Node.TEXT_NODE) return translateText(root);
  if (root.nodeType !== Node.ELEMENT_NODE) return undefined;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = root; node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) translateText(node);
    else translateAttributes(node);
  }
  return undefined;
};

// Translates the element now, and later each part that is added or changed.
export const translate = (element) => {
  const observer = new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "characterData") translateText(change.target);
      else if (change.type === "attributes") translateAttributes(change.target);
      else change.addedNodes.forEach(translateTree);
    }
  });
  observer.observe(element, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ATTRIBUTES });
  translateTree(element);
};
