import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finish, outputOf } from "../cli/command.ts";
import { noBareRoot, startIn } from "../support/bare-root.ts";
import { builtImage, containerOf, imageRoot } from "../support/container.ts";
import { freePort } from "../support/free-port.ts";
import { signedUp } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

const reason = noBareRoot();

describe(`the container's image${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  test.skipIf(reason !== undefined).each<[string, (volume: string) => void]>([
    ["with its own folder", () => {}],
    [
      "with a volume of Kubernetes, which belongs to root and the pod's group",
      (volume) => {
        chownSync(volume, 0, 65_532);
        chmodSync(volume, 0o2775);
      },
    ],
  ])("serves as its user and creates apps whose people sign up, %s", async (_, mount) => {
    const place = imageRoot(builtImage());
    mount(join(place, "data"));
    const { user, command, check, env } = containerOf();
    const port = await freePort();
    const url = `http://localhost:${port}`;
    expect(env["AUTHSVC_BASE_URL"]).toBe("http://localhost:8080");
    Object.assign(env, { AUTHSVC_LISTEN__PORT: String(port), AUTHSVC_BASE_URL: url });

    const service = startIn(place, command, { user, env });
    const ended = finish(service);
    try {
      await outputOf(service, /listening on/u);
      expect(await finish(startIn(place, check, { user, env }))).toMatchObject({ code: 0, stderr: "" });
      const redirectUri = "http://localhost:3000/callback";
      const create = ["app", "create", "--name", "My shop", "--redirect-uri", redirectUri, "--json"];
      const created = await finish(startIn(place, [command[0] ?? "", ...create], { user, env }));
      const { application, apiKey } = JSON.parse(created.stdout) as { application: { id: string }; apiKey: string };
      const { id } = application;
      const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
      const app = { id, apiKey, redirectUri, headers } as TestApp;
      expect((await signedUp({ url } as TestService, app)).accessToken).not.toBe("");
    } finally {
      service.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ code: 0 });

    // The root file system is read-only in compose.yaml.
    const written = readdirSync(place, { recursive: true, encoding: "utf8" }).filter(
      (file) => statSync(join(place, file)).uid === 65_532,
    );
    expect(written).toEqual(expect.arrayContaining(["data/authsvc/authsvc.db", "data/authsvc/master.key"]));
    expect(written.filter((file) => !/^data\b/u.test(file))).toEqual([]);
  });
});
