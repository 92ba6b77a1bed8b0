import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { createTestClient } from "../support/openid.ts";
import { useIssuer } from "../support/issuer.ts";
import { describeOnSqlite } from "../support/service.ts";
import { localWebhooks } from "../support/webhooks.ts";
import { blocksOf } from "./pages.ts";
import { noProgram } from "../support/left-out.ts";

const run = promisify(execFile);
const missing = noProgram("curl") ?? noProgram("jq");

type Pipelines = [
  { jobs: { deploy: { steps: { run: string }[] } } },
  { deploy: { id_tokens: { ASSERTION: { aud: string } }; script: string[] } },
  {
    spec: {
      containers: { args: string[] }[];
      volumes: { projected: { sources: { serviceAccountToken: { audience: string } }[] } }[];
    };
  },
];

describeOnSqlite("the pipelines of the page about machines", localWebhooks, (service) => {
  const issuer = useIssuer();

  it("get a management token with the token of their platform, and use it", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const app = await service.createApp({ id: "app_shop" });
    const trusts = [{ issuer: issuer.url, subject: "the job" }];
    const nobody = { redirectUris: [], scopes: [] };
    await createTestClient(service, app, {
      id: "deploy",
      kind: "machine",
      resources: [service.url],
      trusts,
      ...nobody,
    });
    const texts = blocksOf("docs/machines.md").filter(({ language }) => language === "yaml");
    const [github, gitlab, kubernetes] = texts.map(({ text }): unknown =>
      parse(text.replaceAll("https://auth.example.com", service.url)),
    ) as Pipelines;
    const { aud } = gitlab.deploy.id_tokens.ASSERTION;
    const audience = kubernetes.spec.volumes[0]?.projected.sources[0]?.serviceAccountToken.audience;
    const now = Math.floor(service.clock.now / 1000);
    const token = async (jti: string, audience: unknown) =>
      await issuer.sign({ iss: issuer.url, sub: "the job", aud: String(audience), iat: now, exp: now + 600, jti });
    const forGitHub = await token("github", service.url);
    issuer.answers[`/github?x=1&audience=${service.url}`] = { value: forGitHub };
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-token-")), "token");
    writeFileSync(file, await token("kubernetes", audience));
    const scripts: [script: string, env: Record<string, string>][] = [
      [
        github.jobs.deploy.steps[0]?.run ?? "",
        { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "t", ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/github?x=1` },
      ],
      [gitlab.deploy.script.join("\n"), { ASSERTION: await token("gitlab", aud) }],
      [kubernetes.spec.containers[0]?.args[0]?.replace("/var/run/secrets/authsvc/token", file) ?? "", {}],
    ];
    for (const [script, env] of scripts) {
      const { stdout } = await run("sh", ["-ec", script], { env: { ...process.env, ...env } });
      expect([script, stdout]).toEqual([script, "0\n"]);
    }
  });
});
