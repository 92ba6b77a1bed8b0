/** The official conformance suite of MCP, for authorization servers. */
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { localDocuments, agentAt, useDocumentServer, withAgents } from "../../support/client-documents.ts";
import { freePort } from "../../support/free-port.ts";
import { goodPassword, Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const documents = useDocumentServer();

type Check = { id: string; status: string };

describeOnSqlite("the conformance suite of MCP", localDocuments, (service) => {
  let folder = "";
  beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), "authsvc-mcp-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(["2025-06-18", "2025-11-25", "2026-07-28"])("passes at protocol version %s", async (version) => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve({ redirect_uris: ["http://127.0.0.1/callback"] }));
    const port = await freePort();
    const options = { url: service.url, "client-id": agent.id, resource: agents.resource, port: String(port) };
    const results = path.join(folder, version);
    const flags = Object.entries({ ...options, "spec-version": version, "output-dir": results });
    const args = flags.map(([name, value]) => `--${name}=${value}`);
    const running = spawn(process.execPath, [suite, "authorization", ...args], { cwd: folder });
    const visitor = new Visitor();
    let output = "";
    let asked = false;
    const read = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      const [address] = /^https?:\S+\/oauth2\/authorize\?\S+$/mu.exec(output) ?? [];
      if (asked || address === undefined || !output.includes("Waiting up to")) return;
      asked = true;
      void signIn(address);
    };
    const signIn = async (address: string): Promise<void> => {
      const page = await visitor.get((await visitor.get(address)).location.href);
      const proven = await visitor.submit(page, "/password", { email: agents.email, password: goodPassword });
      const consent = await visitor.get(proven.location.href);
      const done = await visitor.submit(consent, "/step/consent", {});
      await fetch(done.location.href);
    };
    running.stdout.on("data", read);
    running.stderr.on("data", read);
    const code = await new Promise((resolve) => running.on("close", resolve));

    const files = globSync("*/checks.json", { cwd: results });
    const checks = files.flatMap((file) => JSON.parse(readFileSync(path.join(results, file), "utf8")) as Check[]);
    const statuses = Object.fromEntries(checks.map(({ id, status }) => [id, status]));
    expect([code, statuses], output).toEqual([
      0,
      {
        "authorization-server-metadata": "SUCCESS",
        ...(version === "2025-06-18" ? {} : { "authorization-server-metadata-cimd": "SUCCESS" }),
        "authorization-code-grant": "SUCCESS",
      },
    ]);
  });
});
