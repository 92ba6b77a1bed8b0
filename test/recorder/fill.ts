import { Visitor } from "../support/person.ts";
import { peopleOf, type App } from "./people.ts";
import type { Recording } from "./recording.ts";

export type Filled = Awaited<ReturnType<typeof fill>>;

const secret = (letter: string): string => letter.repeat(43);
const allEvents =
  "user.login,user.logout,user.created,user.updated,user.deleted,method.added,method.removed,login.failed,token.reuse";

/** Applications with clients of every kind, and people with every method and factor. */
export async function fill(recording: Recording) {
  const { act, command, receiverUrl } = recording;
  const people = peopleOf(recording);
  const run = async (line: string, input = ""): Promise<string> =>
    (await act(`fill: ${line}`, async () => await command([...line.split(" "), "--yes"], input)))?.stdout ?? "";
  const redirectUri = "https://shop.example/callback";
  const make = async (id: string): Promise<App> => {
    const key = `${id}-key-${secret("K")}`;
    const out = await run(`app create --id ${id} --name ${id} --redirect-uri ${redirectUri} --json`);
    return { id, key: (JSON.parse(out || "{}") as { apiKey?: string }).apiKey ?? key, redirectUri };
  };
  const shop = await make("app_shop");
  const bank = await make("app_bank");
  await run(
    "app update app_shop --email-code on --single-sign-on 8h --second-factor optional --trust-browsers 30d --query-endpoints on --public-clients on --scopes profile,email,groups --support-url https://shop.example/help",
  );
  await run("app update app_bank --second-factor optional --methods passkey,password");
  await run("app provider set app_shop google --client-id g --client-secret-stdin", "google-secret");
  await run(
    "resource create --app app_shop --identifier https://api.shop.example --scope read=Read --scope write=Write",
  );
  await run("resource create --app app_shop --identifier https://archive.shop.example --scope read=Read");
  const clients = {
    web: "--kind web --redirect-uri https://web.example/cb --backchannel-logout-uri RECEIVER/logout",
    asks: "--kind web --redirect-uri https://asks.example/cb --consent ask",
    spa: "--kind spa --redirect-uri https://spa.example/cb",
    native: "--kind native --redirect-uri http://127.0.0.1/cb",
    device: "--kind device",
    machine:
      "--kind machine --resource https://api.shop.example --exchange-to https://archive.shop.example --audience-of https://api.shop.example",
    bound: "--kind spa --redirect-uri https://bound.example/cb --dpop required",
  };
  const secrets: Record<string, string> = {};
  for (const [id, flags] of Object.entries(clients)) {
    const out = await run(
      `client create --app app_shop --id ${id} --name ${id} ${flags.replace("RECEIVER", receiverUrl)} --json`,
    );
    secrets[id] = (JSON.parse(out || "{}") as { secret?: string }).secret ?? "";
  }
  await run("client update web --resource https://api.shop.example");
  await run(`webhook create --app app_shop --id whe_shop --url ${receiverUrl}/shop --events ${allEvents}`);
  await run("group create staff --app app_shop");
  // With an identity at a provider, an authenticator app, metadata and a group.
  const line = {
    email: "ivy@example.org",
    emailVerified: true,
    name: "Ivy",
    publicMetadata: { plan: "free" },
    privateMetadata: { customer: 7 },
    groups: ["staff"],
    totpSecret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    identities: [
      { provider: "google", subject: "1076", issuer: "https://accounts.google.com", email: "ivy@gmail.com" },
    ],
  };
  await run("user import - --app app_shop", JSON.stringify(line));
  await run("group create guarded --app app_shop --second-factor optional");

  const ada = await act("fill: ada signs up by password", async () => await people.signUp(shop, "ada@example.org"));
  const bob = await act("fill: bob signs up, and sets a second factor up", async () => {
    const visitor = new Visitor();
    const tokens = await people.signUp(shop, "bob@example.org", visitor);
    return { ...tokens, ...(await people.setUpFactor(shop, "bob@example.org", visitor)) };
  });
  await act(
    "fill: bob trusts a browser",
    async () => await people.signInWithCode(shop, "bob@example.org", bob?.key ?? ""),
  );
  await run("client block https://agent.example/client.json");
  const carl = await act(
    "fill: carl signs up by passkey",
    async () => await people.signUpByPasskey(shop, "carl@example.org"),
  );
  await run("user create --app app_shop --email dora@example.org --name Dora");
  await run(
    "user create --app app_shop --email eve@example.org --verified --password-stdin",
    "correct horse battery staple",
  );
  await run("user disable eve@example.org");
  const fay = await act(
    "fill: fay signs up in another application",
    async () => await people.signUp(bank, "fay@example.org"),
  );
  await act("fill: ada uses a client that asks", async () => {
    const code = await people.openIdCode({ id: "asks", redirectUri: "https://asks.example/cb" }, "ada@example.org");
    await people.call("POST", "/oauth2/token", basicOf("asks", secrets), people.form(code));
  });
  await run("group add staff ada@example.org bob@example.org --app app_shop");
  return { people, run, shop, bank, secrets, ada, bob, carl, fay };
}

function basicOf(id: string, secrets: Record<string, string>): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${encodeURIComponent(secrets[id] ?? "")}`).toString("base64")}` };
}
