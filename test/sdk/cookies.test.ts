import { expect, test } from "vitest";
import { createHandler, type Handler } from "../../packages/sdk/src/handler.ts";
import { createSeal } from "../../packages/sdk/src/seal.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, newEmail, Visitor } from "../support/person.ts";
import { cookieSecret } from "./app-server.ts";

const current = useService();
const origin = "https://app.example";
const session = /^__Host-authsvc-[\w-]{8}-session$/u;

/** An application behind https, asked without a network. */
async function secureApplication(): Promise<Handler> {
  const app = await current().createApp({ redirectUris: [`${origin}/callback`] });
  const settings = { issuer: current().url, appId: app.id, apiKey: app.apiKey, cookieSecret };
  return createHandler({ ...settings, feed: "on-demand" });
}

function asked(path: string, cookie = "", headers: Record<string, string> = {}): Request {
  return new Request(origin + path, { headers: { cookie, ...headers } });
}

/** The lines that a sign-in sets: while it lasts, and afterwards. */
async function signedIn(handler: Handler): Promise<{ begun: string; ended: string[] }> {
  const start = await handler.handle(asked("/sign-in"));
  const [begun = ""] = start?.headers.getSetCookie() ?? [];
  const visitor = new Visitor();
  const page = await visitor.get(`${start?.headers.get("location")}/create-account`);
  const fields = { email: newEmail(), name: "Ada", password: goodPassword };
  const { location } = await visitor.submit(page, "/create-account", fields);
  const back = await handler.handle(asked(location.pathname + location.search, begun.split(";")[0]));
  return { begun, ended: back?.headers.getSetCookie() ?? [] };
}

test("H10: cookies of an https application are Secure and have the prefix that no other host may set", async () => {
  const { begun, ended } = await signedIn(await secureApplication());
  for (const line of [begun, ...ended]) {
    const [pair = "", ...attributes] = line.split("; ");
    expect(pair).toMatch(/^__Host-authsvc-[\w-]{8}-(?:sign-in-[\w-]{8}|session)=/u);
    const fixed = attributes.filter((each) => !each.startsWith("Max-Age="));
    expect(fixed).toEqual(["Path=/", "HttpOnly", "SameSite=Lax", "Secure"]);
  }
});

test("H10: a session counts under its exact name and once; whatever else is sent is nobody's, and no failure", async () => {
  const handler = await secureApplication();
  const { ended } = await signedIn(handler);
  const cookie =
    ended.map((line) => line.split(";")[0] ?? "").find((pair) => session.test(pair.split("=")[0] ?? "")) ?? "";
  const name = cookie.split("=")[0] ?? "";
  const userOf = async (header: string) => (await handler.getUser(asked("/", header)))?.name;
  expect(await userOf(`a=\u00e9; =; ; ${"n=; ".repeat(2000)}${cookie}`)).toBe("Ada");
  for (const header of [
    `\u00a0${cookie}`,
    `\u0085${cookie}`,
    cookie.replace("=", "\u00a0="),
    cookie.replace("__Host-", ""),
    cookie.replace("__Host-", "__host-"),
    `${cookie}; ${cookie}`,
    `${cookie}; ${name}=`,
    `${name}=\u00ff`,
    `${name}=; ${"n".repeat(8192)}`,
  ])
    expect(await userOf(header)).toBeUndefined();
});

test("a number of parts that no session has is nobody's, and takes no time", async () => {
  const handler = await secureApplication();
  const { ended } = await signedIn(handler);
  const [name = "", value = ""] = ended.at(-1)?.split(";")[0]?.split("=") ?? [];
  const contents = value.slice(value.indexOf(".") + 1);
  for (const count of ["1e15", "Infinity", "NaN", "4"]) {
    const answer = await handler.session({}, asked("/", `${name}=${count}.${contents}`), true);
    expect(answer).toEqual({ setCookies: [] });
  }
});

test("what is sealed for one cookie is not accepted in another", async () => {
  const seal = createSeal(cookieSecret);
  const sealed = await seal.seal("session", { a: 1 });
  expect(await seal.open("session", sealed)).toEqual({ a: 1 });
  expect(await seal.open("sign-in-AAAAAAAA", sealed)).toBeUndefined();
});
