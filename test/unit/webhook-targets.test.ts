import { describe, expect, it } from "vitest";
import { isPublicAddress, policyOf, targetProblem, type TargetPolicy } from "../../src/records/webhooks/target.ts";
import { testConfig } from "../support/service.ts";

function targetPolicy({ dev, allowPrivateNetworks }: { dev: boolean; allowPrivateNetworks: boolean }): TargetPolicy {
  const webhooks = { ...testConfig.webhooks, allowPrivateNetworks };
  const config = { ...testConfig, database: { url: undefined, poolSize: 5 }, dataDir: "/nowhere", webhooks };
  return policyOf({ isDevelopment: dev, config });
}

it.each(["2606:4700::1111%eth0", "example.com", ""])("%j is no public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe("the address of an endpoint", () => {
  it.each([
    [{ dev: false, allowPrivateNetworks: true }, "https://10.0.0.1:25/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "https://hooks/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://127.0.0.1:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://app.localhost:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://10.0.0.1/", "an https URL"],
    [{ dev: true, allowPrivateNetworks: false }, "http://host.docker.internal:3000/", undefined],
    [{ dev: true, allowPrivateNetworks: false }, "https://user@localhost/", "no user or password"],
    [{ dev: false, allowPrivateNetworks: false }, "https://xn--bcher-kva.example/%C3%BC", undefined],
  ])("with %o, %s: %s", (settings, url, problem) => {
    expect(targetProblem(url, targetPolicy(settings))).toBe(problem);
  });

  it.each(["https://bücher.example/hook", "https://hooks.example/ü", "https://hooks.example/a b", "hooks.exämple"])(
    "%s: how it is written in ASCII",
    (url) => {
      const problem = targetProblem(url, targetPolicy({ dev: false, allowPrivateNetworks: false }));
      expect(problem).toMatch(/^ASCII without spaces: a host with other letters is written with xn--/u);
    },
  );
});
