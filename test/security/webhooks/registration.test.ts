import { beforeEach, describe, expect, it } from "vitest";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { asHost, internal, otherSpellings } from "../../support/internal-addresses.ts";
import { call } from "../../support/person.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";
import { webhookSecret as secret } from "../../support/webhooks.ts";

const path = "/webhooks/endpoints";
const good = { url: "https://hooks.example.com/auth", events: ["user.login"], secret };

const targets: Record<string, string> = {
  ...Object.fromEntries(Object.entries(internal).map(([name, address]) => [name, `https://${asHost(address)}/hook`])),
  ...Object.fromEntries(Object.entries(otherSpellings).map(([name, host]) => [name, `https://${host}/`])),
  "plain http": "http://hooks.example.com/",
  "plain http to a public address": "http://8.8.8.8/",
  "another scheme": "ftp://hooks.example.com/",
  "a file": "file:///etc/passwd",
  gopher: "gopher://127.0.0.1:6379/_FLUSHALL",
  "no address": "hooks.example.com",
  "a relative address": "//hooks.example.com/",
  data: "data:text/plain,x",
  "a user name": "https://user:pass@hooks.example.com/",
  "a user name that looks like a host": "https://hooks.example.com@127.0.0.1/",
  "a backslash": "https://hooks.example.com\\@127.0.0.1/",
  "a line break": "https://hooks.example.com/\r\nHost: x",
  "a tab in the host": "https://hooks\t.example.com/",
  "a fragment": "https://hooks.example.com/#x",
  "an empty user name": "https://@hooks.example.com/",
  "an empty fragment": "https://hooks.example.com/#",
  "a dot at the end of the host": "https://hooks.example.com./",
  "a character that is not ASCII": "https://hooks.example.com/\u{E9}",
  "a space": "https://hooks.example.com/ a",
  "more than 2048 characters": `https://hooks.example.com/${"a".repeat(2048)}`,
  ...Object.fromEntries(
    [0, 22, 25, 80, 110, 143, 465, 587, 993].map((port) => [`port ${port}`, `https://hooks.example.com:${port}/`]),
  ),
};

describeOnSqlite("the address of a webhook", (service) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await service.createApp();
  });

  it.each(Object.entries(targets))(
    "W4, CVE-2026-5469: %s is refused when it is registered, when it is changed, and by the command",
    async (_name, url) => {
      const created = await call(service, "POST", path, app.headers, { ...good, url });
      expect(created).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_REQUEST", details: expect.stringMatching(/^url: /u) as string } },
      });
      const { body } = await call(service, "POST", path, app.headers, good);
      const changed = await call(service, "PATCH", `${path}/${String(body["id"])}`, app.headers, { url });
      expect(withoutId(changed)).toEqual(withoutId(created));
      expect((await call(service, "GET", path, app.headers)).body).toMatchObject({ endpoints: [{ url: good.url }] });
      // The rule is told, never the value.
      expect(JSON.stringify(created.body)).not.toContain(url.slice(8, 40));
      const flags = ["--app", app.id, "--url", url, "--events", "user.login", "--secret-stdin"];
      const command = await authsvc(["webhook", "create", ...flags], { ...placeOf(service), input: secret });
      expect([command.code, command.stdout]).toEqual([2, ""]);
      expect(command.stderr).toContain("--url");
    },
  );

  it("W4: what is on the internet is taken, so that the refusals mean something", async () => {
    for (const url of [
      "https://hooks.example.com",
      "https://8.8.8.8/",
      "https://[2606:4700::1111]:8443/a?b=c",
      "https://hooks.example.com:443/",
      "https://hooks.example.com:8443/a?b=c@d",
      "https://xn--bcher-kva.example/",
      ...["100.63.255.255", "172.32.0.1", "192.167.255.255", "[2a00:1450::1]"].map((host) => `https://${host}/hook`),
    ]) {
      const { status } = await call(service, "POST", path, app.headers, { ...good, url });
      expect([url, status]).toEqual([url, 201]);
    }
  });

  describe("its secret", () => {
    it.each([
      ["8 characters", "12345678"],
      ["15 characters", "123456789012345"],
      ["whsec_ with 8 bytes", `whsec_${Buffer.alloc(8, 1).toString("base64")}`],
      ["whsec_ with 15 bytes", `whsec_${Buffer.alloc(15, 1).toString("base64")}`],
      ["whsec_ that is not base64", "whsec_not base64, but long enough"],
      ["whsec_ in base64url", `whsec_${Buffer.alloc(24, 255).toString("base64url")}`],
      ["whsec_ without padding", `whsec_${Buffer.alloc(25).toString("base64").replaceAll("=", "")}`],
      ["257 characters", "x".repeat(257)],
      ["a line break", `${"x".repeat(16)}\n`],
      ["a control character", "sixteen characters\u0007"],
      ["nothing", ""],
    ])("W6: %s is refused, and not repeated", async (_name, short) => {
      const refused = await call(service, "POST", path, app.headers, { ...good, secret: short });
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { details: expect.stringMatching(/^secret: /u) as string } },
      });
      if (short !== "") expect(JSON.stringify(refused.body)).not.toContain(short);
    });

    it("W6: is shown by no call and no command, and stands nowhere in the database", async () => {
      const own = "a secret of the receiver's own";
      const said: string[] = [];
      const send = async (method: string, to: string, body?: unknown) => {
        const answered = await call(service, method, to, app.headers, body);
        said.push(JSON.stringify([...answered.headers, answered.body]));
        return answered;
      };
      const { body } = await send("POST", path, { ...good, secret: own });
      const id = String(body["id"]);
      const newer = "another secret of the receiver";
      await send("PATCH", `${path}/${id}`, { secret: newer });
      await send("GET", `${path}/${id}`);
      await send("GET", path);
      await send("PATCH", `${path}/${id}`, { secret: newer, secretOverlapSeconds: -1 });
      for (const args of [
        ["webhook", "show", id],
        ["webhook", "list", "--app", app.id],
        ["webhook", "deliveries", id],
        ["export"],
        ["audit", "list"],
      ])
        for (const form of [[], ["--json"]]) {
          const { stdout, stderr } = await authsvc([...args, ...form], placeOf(service));
          said.push(stdout, stderr);
        }
      said.push(await service.databaseText());
      await send("DELETE", `${path}/${id}`);
      for (const one of [own, newer])
        for (const form of [one, Buffer.from(one).toString("base64").slice(0, 30), Buffer.from(one).toString("hex")])
          expect(said.join("\n").includes(form)).toBe(false);
    });
  });
});

function withoutId({ status, body }: Awaited<ReturnType<typeof call>>) {
  return { status, ...body.error, requestId: "" };
}
