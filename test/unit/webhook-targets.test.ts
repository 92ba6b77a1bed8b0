import { describe, expect, it } from "vitest";
import { isPublicAddress, targetPolicy, targetProblem } from "../../src/webhooks/target.ts";
import { asHost, internal, otherSpellings } from "../support/internal-addresses.ts";

const strict = targetPolicy({ dev: false, allowPrivateNetworks: false });

describe("an internal address", () => {
  it.each(Object.entries(internal))("%s (%s) is not public", (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(Object.entries(internal))("%s (%s) is refused at registration (security rule W4)", (_name, address) => {
    expect(targetProblem(`https://${asHost(address)}/hook`, strict)).toBe(
      "an https URL on a public address, unless webhooks.allowPrivateNetworks is on",
    );
  });

  it.each(Object.entries(otherSpellings))("is refused spelled otherwise: %s", (_name, host) => {
    const problem = /[^\x21-\x7E]/u.test(host)
      ? "an absolute URL"
      : "an https URL on a public address, unless webhooks.allowPrivateNetworks is on";
    expect(targetProblem(`https://${host}/`, strict)).toBe(problem);
  });

  it.each(["8.8.8.8", "100.63.255.255", "172.32.0.1", "192.167.255.255", "2606:4700::1111", "2a00:1450::1"])(
    "%s is none",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
      expect(targetProblem(`https://${asHost(address)}/hook`, strict)).toBeUndefined();
    },
  );
});

it.each(["2606:4700::1111%eth0", "example.com", ""])("%j is no public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe("the address of an endpoint", () => {
  it.each([
    ["http://hooks.example.com/", "an https URL"],
    ["ftp://hooks.example.com/", "an https URL"],
    ["hooks.example.com", "an absolute URL"],
    ["https://hooks.example.com/\u{E9}", "an absolute URL"],
    ["https://hooks.example.com/ a", "an absolute URL"],
    ["https://user:pass@hooks.example.com/", "no user or password"],
    ["https://@hooks.example.com/", "no user or password"],
    ["https://hooks.example.com/#top", "no fragment"],
    ["https://hooks.example.com/#", "no fragment"],
    ["https://hooks.example.com./", "no dot at the end of the host"],
    ["https://hooks.example.com:25/", "port 443, or 1024 and above"],
    ["https://hooks.example.com:0/", "port 443, or 1024 and above"],
    [`https://hooks.example.com/${"a".repeat(2048)}`, "at most 2048 characters"],
  ])("%s is refused: %s", (url, problem) => {
    expect(targetProblem(url, strict)).toBe(problem);
  });

  it.each(["https://hooks.example.com", "https://hooks.example.com:8443/a?b=c@d", "https://xn--bcher-kva.example/"])(
    "%s is taken",
    (url) => {
      expect(targetProblem(url, strict)).toBeUndefined();
    },
  );

  it.each([
    [{ dev: false, allowPrivateNetworks: true }, "https://10.0.0.1:25/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "https://hooks/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://127.0.0.1:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://app.localhost:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://10.0.0.1/", "an https URL"],
    [{ dev: true, allowPrivateNetworks: false }, "http://host.docker.internal:3000/", undefined],
    [{ dev: true, allowPrivateNetworks: false }, "https://user@localhost/", "no user or password"],
  ])("with %o, %s: %s", (settings, url, problem) => {
    expect(targetProblem(url, targetPolicy(settings))).toBe(problem);
  });
});
