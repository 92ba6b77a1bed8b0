import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";
import { createAuth } from "@authsvc/sdk/hono";

const auth = createAuth();
await auth.ready();
const app = new Hono();
app.use(auth.routes);

app.get("/", async (context) => {
  const user = await auth.getUser(context);
  return context.html(
    user
      ? html`<p>Hello ${user.email}</p>
          <form method="post" action="/sign-out"><button>Sign out</button></form>`
      : html`<a href="/sign-in">Sign in</a>`,
  );
});

app.get("/me", auth.requireUser, async (context) => context.json(await auth.getUser(context)));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
