import { expect, test } from "vitest";
import { writeCertificate } from "../support/tls-files.ts";
import { emptyFolder, outputOf } from "./command.ts";
import { authsvc } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";

const { serve } = servingProcesses();

test.each([
  ["http", {}],
  [
    "https",
    {
      AUTHSVC_LISTEN__TLS__CERT_FILE: "cert.pem",
      AUTHSVC_LISTEN__TLS__KEY_FILE: "key.pem",
      AUTHSVC_BASE_URL: "https://localhost",
    },
  ],
])("health says with its exit code whether the service of this configuration is ready (%s)", async (_scheme, env) => {
  const cwd = emptyFolder();
  await writeCertificate(cwd);
  const child = serve(["--port", "0"], cwd, env);
  const [, port = ""] = /:(\d+)\n/.exec(await outputOf(child, /^listening on .*\n/)) ?? [];
  const place = { cwd, env: { ...env, AUTHSVC_LISTEN__PORT: port } };
  expect(await authsvc(["health"], place)).toMatchObject({ code: 0, stdout: "ready\n" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
  const { code, stdout } = await authsvc(["health", "--json"], place);
  expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
    code: 1,
    answer: { ready: false, reason: `no response from 127.0.0.1, port ${port} (ECONNREFUSED)` },
  });
});
