import { createServer } from "node:http";
import { createAuth } from "@authsvc/sdk/node";

const auth = await createAuth();
/** Addresses may contain `&`. */
const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");

async function answer(request, response) {
  if (await auth.handle(request, response)) return;
  if (request.url.split("?")[0] === "/me") {
    const user = await auth.requireUser(request, response);
    if (user) response.setHeader("content-type", "application/json").end(JSON.stringify(user));
    return;
  }
  const user = await auth.getUser(request, response);
  response.setHeader("content-type", "text/html");
  response.end(
    user
      ? `<p>Hello ${escaped(user.email)}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`
      : `<a href="/sign-in">Sign in</a>`,
  );
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (!response.headersSent) response.writeHead(error.statusCode ?? 500);
    response.end();
  });
});
server.listen(process.env.PORT ?? 3000);
