import { beforeAll, describe, expect, it } from "vitest";
import { proxyNames } from "../../src/forward-auth/blocks/block.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

describe("client show --for a reverse proxy", () => {
  const place = {
    env: { AUTHSVC_FORWARD_AUTH__LISTEN: "127.0.0.1:9091", AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" },
    cwd: emptyFolder(),
  };
  const show = async (...args: string[]) => await authsvc(["client", "show", ...args], place);

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Home", "--id", "app_home"], place);
    const hosts = ["files.example.com", "files.example.com:8443"];
    await answer(
      [
        "client",
        "create",
        "--app",
        "app_home",
        "--id",
        "files",
        "--name",
        "Files",
        "--kind",
        "proxy",
        "--host",
        ...hosts,
      ],
      place,
    );
    await answer(["client", "create", "--app", "app_home", "--id", "web", "--name", "Web"], place);
  });

  it.each(proxyNames)("prints all that %s needs, and each further file after its name", async (proxy) => {
    const { code, stdout, stderr } = await show("files", "--for", proxy);
    expect([code, stderr]).toEqual([0, ""]);
    const { files, configuration } = (await answer(["client", "show", "files", "--for", proxy], place)) as {
      configuration: string;
      files: { name: string; text: string }[];
    };
    expect(stdout).toBe([configuration, ...files.map(({ name, text }) => `\n# file: ${name}\n${text}`)].join(""));
    expect(stdout).toContain("stands for the program");
    for (const part of ["127.0.0.1:9091", "127.0.0.1:3000", "files.example.com", "8443"])
      expect(stdout).toContain(part);
    for (const name of ["user", "email", "name", "groups", "groups-omitted"])
      expect(stdout.toLowerCase()).toContain(`remote-${name}`);
    const whole = await show("files", "--for", proxy, "--upstream", "http://10.0.0.7:8384", "--behind", "10.0.0.2");
    expect(whole.stdout).toContain("10.0.0.7:8384");
    expect(whole.stdout).toContain("10.0.0.2");
    expect(whole.stdout).not.toContain("stands for the program");
  });

  it.each([
    ["nginx", ["--upstream", "http://10.0.0.7/path"], "--upstream must be a URL of http, https, h2c, without a path"],
    ["nginx", ["--upstream", "ftp://10.0.0.7"], "--upstream must be a URL of http, https, h2c, without a path"],
    ["caddy", ["--upstream", "http://a;b"], "--upstream must be a URL of http, https, h2c, without a path"],
    ["nginx", ["--door", "127.0.0.1:9091"], "--door must be a URL of http, https, without a path"],
    ["apache", ["--door", "https://door.example.com"], "--door must be an http URL: Apache's lua-socket has no TLS"],
    ["haproxy", ["--behind", "10.0.0.0/8"], "--behind must be one IP address"],
    [
      "traefik",
      ["--proxy-version", "3.7.11"],
      "--proxy-version must be 3.7.12 or newer: older versions lack aliasHeadersStrategy",
    ],
    [
      "traefik",
      ["--proxy-version", "v2.11"],
      "--proxy-version must be 3.7.12 or newer: older versions lack aliasHeadersStrategy",
    ],
    ["caddy", ["--proxy-version", "new"], "--proxy-version must be a version such as 1.22.1"],
  ])("%s with %j is refused", async (proxy, flags, sentence) => {
    const { code, stdout, stderr } = await show("files", "--for", proxy, ...flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
  });

  it("wants --door where the setting names no single address, or none", async () => {
    const everywhere = { AUTHSVC_FORWARD_AUTH__LISTEN: "0.0.0.0:9091", AUTHSVC_FORWARD_AUTH__PLAIN: "true" };
    for (const env of [{}, everywhere] as Record<string, string>[]) {
      const trusted = { ...env, AUTHSVC_TRUSTED_PROXIES: "127.0.0.1" };
      const there = { cwd: place.cwd, env: trusted };
      const { code, stderr } = await authsvc(["client", "show", "files", "--for", "nginx"], there);
      expect(code).toBe(2);
      expect(stderr).toContain("--door is needed: forwardAuth.listen");
      const given = ["client", "show", "files", "--for", "nginx", "--door", "http://10.0.0.1:9091"];
      expect((await authsvc(given, there)).stdout).toContain("http://10.0.0.1:9091/auth-request");
    }
  });

  it("is for clients of kind proxy, and its flags for proxies", async () => {
    expect((await show("web", "--for", "nginx")).stderr).toContain("this one is of kind web");
    expect((await show("files", "--for", "grafana")).stderr).toContain(
      "--for of a client of kind proxy is one of nginx",
    );
    expect((await show("files", "--upstream", "http://127.0.0.1:1")).stderr).toContain(
      "--upstream needs --for with a proxy",
    );
  });
});
