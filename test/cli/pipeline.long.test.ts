import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { shellProgram } from "../support/program.ts";
import { emptyFolder } from "./command.ts";

const shopKey = `pipeline-key.${"0123456789".repeat(3)}`;

test.skipIf(process.platform === "win32")(
  "docs/pipeline.sh configures a service from nothing, and changes nothing the second time",
  async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "authsvc"), `#!/bin/sh\nexec ${shellProgram} "$@"\n`);
    chmodSync(join(cwd, "authsvc"), 0o700);
    const surroundings = {
      cwd,
      env: {
        PATH: `${cwd}:${process.env["PATH"]}`,
        SHOP_API_KEY: shopKey,
        BLOG_API_KEY: `${shopKey}-blog`,
        GITHUB_CLIENT_SECRET: "a secret of GitHub",
        GRAFANA_CLIENT_SECRET: `${shopKey}-grafana`,
      },
    };
    const script = join(import.meta.dirname, "../../docs/pipeline.sh");
    const first = await promisify(execFile)("sh", [script], surroundings);
    expect(first.stdout).toContain("+ application app_blog\n");
    const second = await promisify(execFile)("sh", [script], surroundings);
    expect(second.stdout).not.toMatch(/^[+~-]/m);
    expect(second.stderr.match(/^No difference\.$/gmu)).toHaveLength(2);
    const members = await promisify(execFile)(
      "authsvc",
      ["group", "show", "admins", "--app", "app_shop"],
      surroundings,
    );
    expect(members.stdout).toContain("ada@example.com");
  },
);
