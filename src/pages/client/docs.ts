// Shows the service's own description of its calls with Swagger UI, whose script the page loads before this one.

type SwaggerUi = (options: {
  url: string;
  domNode: Element | null;
  deepLinking: boolean;
  displayRequestDuration: boolean;
  filter: boolean;
  defaultModelsExpandDepth: number;
  /** It would send the document to a server of its maker. */
  validatorUrl: null;
}) => unknown;

declare const SwaggerUIBundle: SwaggerUi;

if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark-mode");

SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.querySelector("#calls"),
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
