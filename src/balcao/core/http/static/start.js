// Shows the description that the page names, wherever the service is mounted.
const description = document.currentScript.dataset.description;
window.onload = () => {
  SwaggerUIBundle({ url: description, dom_id: "#api", deepLinking: true, validatorUrl: null });
};
