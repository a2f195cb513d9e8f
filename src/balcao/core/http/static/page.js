// Shows the description of a service in Portuguese, and logs a person in for trying its operations.
import { logIn, finishLogin } from "./login.js";
import { translate } from "./labels.js";

const place = document.getElementById("api");
const { base, issuer, client, pages } = place.dataset;
const button = document.getElementById("login");
const status = document.getElementById("login-status");

// Shows who may call, beside every operation; finds by path, summary, operation id and tag.
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
    // A link inside the button that opens the operation is none that a keyboard or a screen reader can use.
    DeepLink: (_, { React }) => ({ text }) => React.createElement("span", null, text),
    // There is one server to try: the one that this page came from.
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

// Lower case and without accents.
const plain = (text) => text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase();

const matches = (each, tag, wanted) =>
  [each.get("path"), each.getIn(["operation", "summary"]), each.getIn(["operation", "operationId"]), tag].some((text) =>
    plain(text ?? "").includes(wanted),
  );

// Fills in what must be sent: the CPF of who is logged in where it is asked for. What may be left out stays empty, as the
// examples of several filters together find nothing, and those of conditional headers name no state that there is.
const prefill = (description, cpf) => {
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    for (const parameter of operation.parameters ?? []) {
      if (!parameter.required) delete parameter.example;
      else if (cpf && parameter.in === "path" && parameter.name === "cpf") parameter.example = cpf;
    }
  }
};

// Leads from each operation to its page, which has the call in three languages, and the remedy of each refusal.
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
  // What is tried here goes to the server that this page came from, under whatever name it was reached.
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
