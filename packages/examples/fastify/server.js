import fastify from "fastify";
import { createAuth } from "@authsvc/sdk/fastify";

const auth = await createAuth();
const app = fastify();
/** Addresses may contain `&`. */
const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
await app.register(auth.plugin);

app.get("/", async (request, reply) => {
  const user = await auth.getUser(request, reply);
  reply.type("text/html");
  return user
    ? `<p>Hello ${escaped(user.email)}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`
    : `<a href="/sign-in">Sign in</a>`;
});

app.get("/me", { preHandler: auth.requireUser }, async (request, reply) => await auth.getUser(request, reply));

// Asks again if the sign-in is older than five minutes.
app.get("/payout", { preHandler: auth.requireFresh({ maxAge: 300 }) }, async (request, reply) => {
  const user = await auth.getUser(request, reply);
  return `Where should the money go, ${user.email}?`;
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "localhost" });
