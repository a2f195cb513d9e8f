// Shows the description of a service in Portuguese, and logs a person in for trying its operations.
import { logIn, finishLogin } from "./login.js";
import { translate } from "./labels.js";

const place = document.getElementById("api");
const { base, issuer, client } = place.dataset;
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

const show = async () => {
  const description = await (await fetch(`${base}/openapi.json`)).json();
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
  const ui = await show();
  if (!client) return;
  button.hidden = false;
  button.addEventListener("click", () => logIn(issuer, client).catch(fail));
  const found = await finishLogin(issuer, client).catch(fail);
  if (!found) return;
  ui.preauthorizeApiKey("bearer", found.token);
  status.textContent = `Sessão de ${found.name}.`;
  button.textContent = "Entrar como outra pessoa";
};

const fail = () => {
  status.textContent = "Não foi possível entrar. Tente de novo.";
};

start();
