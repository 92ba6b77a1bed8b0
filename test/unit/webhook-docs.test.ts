import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bodyOf, sampleOf } from "../../src/records/webhooks/event.ts";
import { signedHeaders } from "../../src/records/webhooks/signature.ts";
import { noProgram } from "../support/left-out.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/webhooks.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "authsvc-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * What the page shows in this language, with a few lines behind it that call it with the variables
 * of the environment.
 */
const languages: Record<string, { fence: string; file: string; call: string; command: string[] }> = {
  TypeScript: {
    fence: "ts",
    file: "verify.ts",
    call: "const { S, I, T, G, B } = process.env as Record<string, string>;\nprocess.exitCode = isGenuine(S!, I!, T!, G!, B!) ? 0 : 9;",
    command: [process.execPath],
  },
  Python: {
    fence: "python",
    file: "verify.py",
    call: 'import os, sys\ne = os.environ\nsys.exit(0 if is_genuine(e["S"], e["I"], e["T"], e["G"], e["B"].encode()) else 9)',
    command: ["python3"],
  },
  Ruby: {
    fence: "ruby",
    file: "verify.rb",
    call: "exit(genuine?(*%w[S I T G B].map { |name| ENV.fetch(name) }) ? 0 : 9)",
    command: ["ruby"],
  },
  PHP: {
    fence: "php",
    file: "verify.php",
    call: "exit(is_genuine(...array_map('getenv', ['S', 'I', 'T', 'G', 'B'])) ? 0 : 9);",
    command: ["php"],
  },
  bash: { fence: "bash", file: "verify.sh", call: 'is_genuine "$S" "$I" "$T" "$G" "$B" || exit 9', command: ["bash"] },
};

describe.each(Object.entries(languages))("the receiver's check in %s", (_name, { fence, file, call, command }) => {
  const [program = "", ...args] = command;
  const path = join(folder, file);
  const snippet = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\``, "msu").exec(text)?.[1] ?? "";
  writeFileSync(path, `${snippet}\n${call}\n`);
  const body = bodyOf({ ...sampleOf("user.login", Date.now()), userAgent: "Größe 9€" });

  function check(secret: string, headers: Record<string, string>, sent = body): number | null {
    const { "webhook-id": I, "webhook-timestamp": T, "webhook-signature": G } = headers;
    const { status } = spawnSync(program, [...args, path], {
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8", S: secret, I, T, G, B: sent },
    });
    return status;
  }

  it("takes what is genuine, and nothing else", ({ skip }) => {
    const missing = noProgram(program);
    skip(missing !== undefined, missing);
    const secret = `whsec_${Buffer.alloc(32, 255).toString("base64")}`;
    const plain = "ein Geheimnis mit Umlauten: äöü";
    const headers = signedHeaders({ id: "evt_1", body }, [plain, secret], Date.now());
    expect(check(secret, headers)).toBe(0);
    expect(check(plain, headers)).toBe(0);
    expect(check(secret, headers, `${body} `)).toBe(9);
    expect(check(secret, signedHeaders({ id: "evt_1", body }, [secret], Date.now() - 600_000))).toBe(9);
  });
});
