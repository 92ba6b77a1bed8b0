import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { finish, outputOf } from "../cli/command.ts";
import { noBareRoot, startIn } from "../support/bare-root.ts";
import { builtImage, containerOf, imageRoot } from "../support/container.ts";
import { freePort } from "../support/free-port.ts";
import { chartOf, helm, noHelm, resourcesOf } from "../support/helm.ts";
import { testMasterKey } from "../support/service.ts";

const reason = noBareRoot() ?? noHelm;

type Variable = { name: string; value: string };
type Pod = {
  enableServiceLinks?: boolean;
  containers: { env: Variable[]; volumeMounts: { name: string; mountPath: string }[] }[];
};

/** Of the Service `authsvc` that the chart makes, and of another one whose name begins so. */
function linksOf(prefix: string, host: string): Record<string, string> {
  const address = `tcp://${host}:80`;
  return {
    [`${prefix}_SERVICE_HOST`]: host,
    [`${prefix}_SERVICE_PORT`]: "80",
    [`${prefix}_SERVICE_PORT_HTTP`]: "80",
    [`${prefix}_PORT`]: address,
    [`${prefix}_PORT_80_TCP`]: address,
    [`${prefix}_PORT_80_TCP_PROTO`]: "tcp",
    [`${prefix}_PORT_80_TCP_PORT`]: "80",
    [`${prefix}_PORT_80_TCP_ADDR`]: host,
  };
}

test.skipIf(reason !== undefined)(
  `the pod of the chart serves as a user that OpenShift chooses, beside Services of its name${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  async () => {
    const port = String(await freePort());
    const url = `http://localhost:${port}`;
    const openShift = ["runAsUser", "runAsGroup", "fsGroup"].map((name) => `podSecurityContext.${name}=null`);
    const own = [`baseUrl=${url}`, "masterKey.secretName=key", "env[0].name=AUTHSVC_LISTEN__PORT"];
    const { stdout } = helm(await chartOf("1.2.3"), [...own, `env[0].value=p${port}`, ...openShift]);
    const deployment = resourcesOf(stdout).find(({ kind }) => kind === "Deployment");
    const template = deployment?.spec["template"] as { spec: Pod } | undefined;
    expect(template?.spec.enableServiceLinks).toBe(false);
    const container = template?.spec.containers[0];
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/data", "/secrets/master-key"]);

    const place = imageRoot(builtImage());
    const user = 1_000_680_000;
    chownSync(join(place, "data"), 0, user);
    chmodSync(join(place, "data"), 0o2775);
    const key = join(place, "secrets/master-key/key");
    mkdirSync(dirname(key), { recursive: true });
    writeFileSync(key, testMasterKey);

    const { command, check, env: ofImage } = containerOf();
    const rendered = container?.env.map(({ name, value }) => [name, value.replace(/^p(?=\d+$)/u, "")]) ?? [];
    const env: Record<string, string> = {
      ...ofImage,
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      ...linksOf("AUTHSVC", "10.96.3.4"),
      ...linksOf("AUTHSVC_STAGING", "fd00:10:96::1f"),
      ...(Object.fromEntries(rendered) as Record<string, string>),
    };
    // Of compose.yaml, not of the image.
    delete env["AUTHSVC_TRUSTED_PROXIES"];
    const as = { user: `${user}:${user}`, env };
    const service = startIn(place, command, as);
    onTestFinished(() => void service.kill("SIGKILL"));
    const ended = finish(service);
    await outputOf(service, /listening on/u);
    expect(await finish(startIn(place, check, as))).toMatchObject({ code: 0, stderr: "" });
    const create = ["app", "create", "--name", "My shop", "--redirect-uri", "https://shop.example.com/callback"];
    expect(await finish(startIn(place, [command[0] ?? "", ...create], as))).toMatchObject({ code: 0 });
    const doctor = await finish(startIn(place, [command[0] ?? "", "doctor", "--json"], as));
    const findings = JSON.parse(doctor.stdout) as { check: string; status: string }[];
    expect(findings.filter(({ check: name, status }) => status === "problem" && name !== "sign-up")).toEqual([]);
    service.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  },
);
