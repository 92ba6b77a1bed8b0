// A program that signs in by Auth.js (`@auth/core`), for test/long/openid-libraries.test.ts. Its
// provider is what `authsvc client show --for authjs` prints, in auth.mjs.
import { createServer } from "node:http";
import { Auth } from "@auth/core";
import { getToken } from "@auth/core/jwt";
import { provided } from "./auth.mjs";

const { ISSUER, CLIENT_ID, APP_URL } = process.env;
const secret = "a secret of this program, only for a test";

const config = {
  ...provided,
  secret,
  trustHost: true,
  basePath: "/api/auth",
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, idToken: account.id_token } : token),
  },
};

const ask = async (path, headers, init = {}) =>
  await Auth(new Request(`${APP_URL}/api/auth${path}`, { ...init, headers }), config);

const cookiesOf = (response) => response.headers.getSetCookie();
const pairsOf = (response) => cookiesOf(response).map((line) => line.split(";", 1)[0]);

/** Posts to Auth.js as its own pages do, with their token against forgery. */
async function post(path, cookie, fields) {
  const asked = await ask("/csrf", { cookie });
  const { csrfToken } = await asked.json();
  const response = await ask(
    path,
    { cookie: [cookie, ...pairsOf(asked)].join("; "), "content-type": "application/x-www-form-urlencoded" },
    { method: "POST", body: new URLSearchParams({ csrfToken, ...fields }) },
  );
  return { location: response.headers.get("location"), cookies: [...cookiesOf(asked), ...cookiesOf(response)] };
}

async function handle(request) {
  const { pathname } = new URL(request.url, APP_URL);
  const cookie = request.headers.cookie ?? "";
  const callbackUrl = `${APP_URL}/`;
  if (pathname.startsWith("/api/auth/"))
    return await Auth(new Request(APP_URL + request.url, { headers: { cookie } }), config);
  if (pathname === "/login") {
    const { location, cookies } = await post("/signin/authsvc", cookie, { callbackUrl });
    return redirect(location, cookies);
  }
  if (pathname === "/logout") {
    const token = await getToken({ req: { headers: new Headers({ cookie }) }, secret });
    const { cookies } = await post("/signout", cookie, { callbackUrl });
    const query = { client_id: CLIENT_ID, id_token_hint: token?.idToken ?? "", post_logout_redirect_uri: callbackUrl };
    return redirect(`${ISSUER}/oauth2/end-session?${new URLSearchParams(query)}`, cookies);
  }
  const session = await (await ask("/session", { cookie })).json();
  return new Response(session ? `Signed in as ${session.user.email}` : "Nobody is signed in");
}

function redirect(location, cookies) {
  const response = new Response(null, { status: 303, headers: { location } });
  for (const line of cookies) response.headers.append("set-cookie", line);
  return response;
}

async function answer(request, response) {
  try {
    const answered = await handle(request);
    const { "set-cookie": _, ...headers } = Object.fromEntries(answered.headers);
    response.writeHead(answered.status, { ...headers, "set-cookie": cookiesOf(answered) });
    response.end(await answered.text());
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

createServer((request, response) => void answer(request, response)).listen(new URL(APP_URL).port);
