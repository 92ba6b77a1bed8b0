import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyFolder, finish, outputOf } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";

const isPosix = process.platform !== "win32";
const { serve, addressOf } = servingProcesses();

describe("serve", () => {
  test("--port 0 picks a port, says so in one line when it answers, logs to standard error, and SIGTERM ends it with 0", async () => {
    const child = serve(["--port", "0"]);
    const finished = finish(child);
    const url = await addressOf(child);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill("SIGTERM");
    const { code, signal, stdout, stderr } = await finished;
    if (isPosix) expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stdout).toBe(`listening on ${url}\n`);
    // The warning about cheap password hashes, as a log line.
    expect(JSON.parse(stderr.split("\n")[0] ?? "")).toMatchObject({
      level: "warn",
      msg: expect.stringContaining("OWASP") as string,
    });
    expect(stderr).toContain('"next":"authsvc app create --name NAME --redirect-uri URI"');
  });

  test.skipIf(!isPosix)("SIGINT ends it with exit code 0 at once when nothing is under way", async () => {
    const child = serve(["--port", "0"]);
    const finished = finish(child);
    const url = await addressOf(child);
    // An idle connection is kept open by the client and must not be waited for.
    await (await fetch(`${url}/healthz`)).text();
    const before = Date.now();
    child.kill("SIGINT");
    expect(await finished).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - before).toBeLessThan(8000);
  });

  test("certificate files that cannot be read are a wrong configuration", async () => {
    const tls = { AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem", AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem" };
    const refused = await authsvc(["serve", "--port", "0"], {
      cwd: emptyFolder(),
      env: { ...tls, AUTHSVC_BASE_URL: "https://auth.example.com" },
    });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^authsvc: listen\.tls\.certFile: [^\n]*cert\.pem[^\n]*\n$/);
  });

  test("an address of no network card is named by --host", async () => {
    const refused = await authsvc(["serve", "--host", "203.0.113.9", "--port", "0"], {
      cwd: emptyFolder(),
      env: { AUTHSVC_BASE_URL: "https://auth.example.com", AUTHSVC_TRUSTED_PROXIES: "10.0.0.1" },
    });
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "authsvc: --host: 203.0.113.9 is not an address of this machine\n",
    });
  });

  test("--dev prints what an application needs, and its pages; the secrets stay the same", async () => {
    const cwd = emptyFolder();
    const first = serve(["--dev", "--port", "0"], cwd);
    const text = await outputOf(first, /\nTo use .*\n/);
    const shape = text.replaceAll(/localhost:\d+/gu, "HOST").replaceAll(/(KEY=ak_|SECRET=)[\w-]+/gu, "$1…");
    expect(shape.split("\n")).toEqual([
      "listening on http://HOST",
      "",
      "The .env file of your application:",
      "",
      "AUTHSVC_ISSUER=http://HOST",
      "AUTHSVC_APP_ID=app_demo",
      "AUTHSVC_API_KEY=ak_…",
      "AUTHSVC_COOKIE_SECRET=…",
      "",
      "Overview   http://HOST/dev",
      "Mailbox    http://HOST/dev/mail",
      "Demo page  http://HOST/dev/demo",
      "",
      "To use your own application, add: --redirect-uri http://HOST/callback",
      "",
    ]);
    const demoUrl = /Demo page +(\S+)/.exec(text)?.[1] ?? "";
    expect((await fetch(demoUrl)).status).toBe(200);
    first.kill("SIGTERM");
    await finish(first);
    const again = serve(["--dev", "--port", "0", "--json"], cwd);
    const { env: variables, url } = JSON.parse(await outputOf(again, /\n$/)) as {
      env: Record<string, string>;
      url: string;
    };
    expect(Object.keys(variables)).toHaveLength(4);
    for (const name of ["AUTHSVC_APP_ID", "AUTHSVC_API_KEY", "AUTHSVC_COOKIE_SECRET"])
      expect(text).toContain(`${name}=${variables[name]}\n`);
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
  });

  test("--redirect-uri is refused without --dev, and when no application could register it", async () => {
    const without = await authsvc(["serve", "--redirect-uri", "http://localhost:3000/callback"], {
      cwd: emptyFolder(),
    });
    expect(without).toMatchObject({
      code: 2,
      stderr: "authsvc: --redirect-uri is for the demo application: use it with --dev\n",
    });
    const bad = await authsvc(["serve", "--dev", "--redirect-uri", "http://shop.example/cb"], { cwd: emptyFolder() });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/^authsvc: --redirect-uri 1 must be https \(http only for localhost/);
  });

  test("dev token signs somebody in at the running service, and names what is wrong", async () => {
    const cwd = emptyFolder();
    const dev = { cwd, env: {} };
    expect(await authsvc(["dev", "token", "--email", "ada@example.com", "--url", "localhost"], dev)).toMatchObject({
      code: 2,
      stderr: "authsvc: --url must be the URL of the service, such as http://localhost:8080\n",
    });
    const broken = { cwd, env: { AUTHSVC_ISSUER: "ftp://x" } };
    expect((await authsvc(["dev", "token", "--email", "ada@example.com"], broken)).stderr).toBe(
      "authsvc: AUTHSVC_ISSUER must be the URL of the service, such as http://localhost:8080\n",
    );
    const nobody = { cwd, env: { AUTHSVC_ISSUER: "http://localhost:9" } };
    expect(await authsvc(["dev", "token", "--email", "ada@example.com"], nobody)).toMatchObject({
      code: 1,
      stderr: "authsvc: No service answers at http://localhost:9. Start one with: authsvc serve --dev\n",
    });
    expect(existsSync(join(cwd, "data"))).toBe(false);

    const child = serve(["--dev", "--port", "0"], cwd);
    const url = await addressOf(child);
    const { code, stdout, stderr } = await authsvc(["dev", "token", "--email", "ada@example.com"], dev);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^ada@example\.com is signed in as usr_\w+ for 15 min/u)]);
    const bearer = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(`${url}/api/user`, { headers: bearer })).status).toBe(200);
    const whole = await authsvc(["dev", "token", "--email", "ada@example.com", "--json", "--url", url], dev);
    expect(JSON.parse(whole.stdout)).toMatchObject({ expiresIn: 900, user: { email: "ada@example.com" } });
    expect(await authsvc(["dev", "token", "--email", "ada"], dev)).toMatchObject({
      code: 2,
      stderr: "authsvc: --email must be an address such as ada@example.com, at most 254 characters\n",
    });
    child.kill("SIGTERM");
    await finish(child);
    const usual = serve(["--port", "0"], cwd);
    const usualUrl = await addressOf(usual);
    expect(await authsvc(["dev", "token", "--email", "ada@example.com"], dev)).toMatchObject({
      code: 4,
      stderr: `authsvc: The service at ${usualUrl} is not in development mode. Start one with: authsvc serve --dev\n`,
    });
  });

  test("a second one on the same data folder is refused with the process of the first, which honours what commands change, until that has ended, even by kill -9", async () => {
    const cwd = emptyFolder();
    const first = serve(["--port", "0"], cwd);
    const url = await addressOf(first);
    const second = await authsvc(["serve", "--port", "0"], { cwd });
    expect(second).toMatchObject({ code: 4, stdout: "" });
    expect(second.stderr).toContain(`(process ${first.pid}). Stop it first`);
    const create = ["app", "create", "--name", "Shop", "--redirect-uri", "https://a.example/cb"];
    const { application, apiKey } = (await answer(create, { cwd })) as { application: { id: string }; apiKey: string };
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": application.id };
    const body = JSON.stringify({ redirectUri: "https://a.example/cb" });
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
    expect((await fetch(`${url}/auth/initiate`, init)).status).toBe(200);
    const killed = finish(first);
    first.kill("SIGKILL");
    await killed;
    const third = serve(["--port", "0"], cwd);
    await addressOf(third);
    const again = await authsvc(["serve", "--port", "0"], { cwd });
    expect(again.stderr).toContain(`(process ${third.pid})`);
  });
});
