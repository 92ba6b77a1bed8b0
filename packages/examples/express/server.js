import express from "express";
import { createAuth } from "@authsvc/sdk/express";

const auth = await createAuth();
const app = express();
/** Addresses may contain `&`. */
const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
app.use(auth.routes);

app.get("/", async (request, response) => {
  const user = await auth.getUser(request);
  response.send(
    user
      ? `<p>Hello ${escaped(user.email)}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`
      : `<a href="/sign-in">Sign in</a>`,
  );
});

app.get("/me", auth.requireUser, (request, response) => {
  response.json(request.user);
});

app.listen(process.env.PORT ?? 3000);
