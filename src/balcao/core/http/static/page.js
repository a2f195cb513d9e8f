// Shows the description of a service in Portuguese, and logs in people who want to try its operations.
import { logIn, finishLogin } from "./login.js";
import { translate } from "./labels.js";

const place = document.getElementById("api");
const { base, issuer, client, pages } = place.dataset;
const button = document.getElementById("login");
const status = document.getElementById("login-status");

// Shows the access rule of each operation, and searches by path, summary, operation id and tag.
const platformPlugin = () => ({
  wrapComponents: {
    OperationSummary: (Original, { React, specSelectors }) => (props) => {
      const rule = specSelectors.specJson().getIn([...props.specPath, "x-access-rule"]);
      return React.createElement(
        "div",
        { className: "operation-head" },
        React.createElement(Original, props),
        rule && React.createElement("p", { className: "access-rule" }, "Quem pode chamar: ", React.createElement("code", null, rule)),
      );
    },
    // Swagger UI's link is inside the button that opens the operation, where keyboards and screen readers cannot reach
    // it.
    DeepLink: (_, { React }) => ({ text }) => React.createElement("span", null, text),
    // Hide the list of servers, because calls go only to this page's server.
    ServersContainer: () => () => null,
  },
  fn: {
    opsFilter: (byTag, phrase) => {
      const wanted = plain(phrase);
      return byTag
        .map((tag, name) => tag.update("operations", (operations) => operations.filter((each) => matches(each, name, wanted))))
        .filter((tag) => tag.get("operations").size > 0);
    },
  },
});

// Returns the text in lower case and without accents.
const plain = (text) => text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase();

const matches = (each, tag, wanted) =>
  [each.get("path"), each.getIn(["operation", "summary"]), each.getIn(["operation", "operationId"]), tag].some((text) =>
    plain(text ?? "").includes(wanted),
  );

// Prefills required parameters. In paths, it uses the CPF of the logged-in person. Optional parameters get no example:
// several filters together would find nothing, and the examples of conditional headers do not match any stored state.
const prefill = (description, cpf) => {
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    for (const parameter of operation.parameters ?? []) {
      if (!parameter.required) delete parameter.example;
      else if (cpf && parameter.in === "path" && parameter.name === "cpf") parameter.example = cpf;
    }
  }
};

// Links each operation to its own page, which shows the call in three languages and the remedy for each error.
const lead = (description) => {
  const service = pages.slice(pages.lastIndexOf("/") + 1);
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    const key = operation.operationId.slice(service.length + 1);
    operation.externalDocs = { url: `${pages}/${key}`, description: "Chamadas prontas, e a solução de cada recusa" };
  }
};

const show = async (cpf) => {
  const description = await (await fetch(`${base}/openapi.json`)).json();
  prefill(description, cpf);
  if (pages) lead(description);
  // Send calls to this page's server, under the host name in the browser's address bar.
  description.servers = [{ url: new URL(base || "/", location.href).href.replace(/\/$/, "") }];
  translate(place);
  return new Promise((resolve) => {
    const ui = SwaggerUIBundle({
      spec: description,
      domNode: place,
      deepLinking: true,
      filter: true,
      validatorUrl: null,
      plugins: [platformPlugin],
      onComplete: () => resolve(ui),
    });
  });
};

const start = async () => {
  const found = client ? await finishLogin(issuer, client).catch(fail) : undefined;
  const ui = await show(found?.cpf);
  if (!client) return;
  button.hidden = false;
  button.addEventListener("click", () => logIn(issuer, client).catch(fail));
  if (!found) return;
  ui.preauthorizeApiKey("bearer", found.token);
  status.textContent = `Sessão de ${found.name}.`;
  button.textContent = "Entrar como outra pessoa";
};

const fail = () => {
  status.textContent = "Não foi possível entrar. Tente de novo.";
};

start();
