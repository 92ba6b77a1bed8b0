import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { Visitor } from "../support/person.ts";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

type Child = ReturnType<typeof start>;

const cwd = emptyFolder();
const started: Child[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Starts the console in a process of its own, and lets one browser in. */
async function opened(...flags: string[]): Promise<{ child: Child; origin: string; visitor: Visitor }> {
  return await openedWith({}, ...flags);
}

async function openedWith(
  env: Record<string, string>,
  ...flags: string[]
): Promise<{ child: Child; origin: string; visitor: Visitor }> {
  const child = start(["console", "--port", "0", "--no-open", "--json", ...flags], { cwd, env });
  started.push(child);
  const { url } = JSON.parse(await outputOf(child, /\}/u)) as { url: string };
  const visitor = new Visitor();
  await visitor.get(url);
  return { child, origin: new URL(url).origin, visitor };
}

async function statusUnder(origin: string, host: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    request(`${origin}/console/enter`, { headers: { host } }, (response) => resolve(response.statusCode))
      .on("error", reject)
      .end();
  });
}

test("shows everything and changes nothing with --read-only, and only one application with --app", async () => {
  for (const id of ["app_shop", "app_other"]) await answer(["app", "create", "--name", id, "--id", id], { cwd });
  const { child, origin, visitor } = await opened("--read-only", "--app", "app_shop");
  const page = await visitor.get(`${origin}/console/applications/app_shop`);
  expect(page.status).toBe(200);
  // What is left signs out.
  expect([...page.text.matchAll(/<form method="post" action="([^"]*)"/gu)].map(([, action]) => action)).toEqual([
    "/console/sign-out",
  ]);
  const { token = "" } = page.form("/sign-out").fields;
  const refused = await visitor.post(`${origin}/console/applications/app_shop/delete`, {
    token,
    confirmation: "app_shop",
  });
  expect(refused.status).toBe(403);
  expect((await visitor.get(`${origin}/console/applications/app_other`)).status).toBe(404);
  expect(await answer(["app", "list"], { cwd })).toHaveLength(2);
  child.kill("SIGTERM");
  expect(await finish(child)).toMatchObject({ code: 0 });
});

test.each([
  [
    "every address is a trusted proxy",
    { AUTHSVC_TRUSTED_PROXIES: "0.0.0.0/0", AUTHSVC_METRICS__PORT: "9464", AUTHSVC_METRICS__HOST: "0.0.0.0" },
  ],
  ["the base URL says another port", { AUTHSVC_BASE_URL: "http://localhost:8443", AUTHSVC_LISTEN__PORT: "8080" }],
])("the page of the service says what doctor says about the configuration: %s", async (_what, env) => {
  const { stdout } = await finish(start(["doctor", "--json"], { cwd, env }));
  const findings = (JSON.parse(stdout) as { check: string; status: string; message: string }[]).filter(
    ({ check, status }) => check === "configuration" && status === "warning",
  );
  expect(findings.length).toBeGreaterThan(0);
  const { origin, visitor } = await openedWith(env);
  const { text } = await visitor.get(`${origin}/console/service`);
  for (const { message } of findings) expect(text).toContain(message);
});

test("answers under the names of --allowed-host, and under no other", async () => {
  const { origin } = await opened("--allowed-host", "console.internal");
  expect(await statusUnder(origin, "console.internal:9470")).toBe(403);
  expect(await statusUnder(origin, "evil.example")).toBe(421);
});

test("says which port is in use, and how to choose another", async () => {
  const { origin } = await opened();
  const { port } = new URL(origin);
  expect(await authsvc(["console", "--port", port, "--no-open"], { cwd })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(`^authsvc: --port: port ${port} on 127\\.0\\.0\\.1 is in use [^\\n]*\\n$`, "u"),
    ) as string,
  });
});

test("refuses an application that does not exist before it listens", async () => {
  const port = String(await freePort());
  expect(await authsvc(["console", "--port", port, "--no-open", "--app", "app_none"], { cwd })).toMatchObject({
    code: 3,
  });
});
