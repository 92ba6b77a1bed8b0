import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../doctor/finding.ts";
import { AppError } from "../../lib/errors.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";
import { bold, visible } from "../text.ts";

export function addDoctor(program: Command, cli: Cli): void {
  const command = program
    .command("doctor")
    .description(
      "look for what is wrong with this installation, and say what mends it: exit code 5 when there is something",
    );
  examples(command, [
    "authsvc doctor",
    "authsvc doctor --json | jq -r '.[] | select(.status != \"ok\") | .fix'",
  ]).action(async () => examine(cli));
}

async function examine(cli: Cli): Promise<void> {
  const findings = await allFindings(cli);
  const emphasise = bold(cli.io, cli.io.stdout);
  const text = findings.map(({ check, status, message, fix }) => {
    const line = `${status.padEnd(7)}  ${check.padEnd(13)}  ${visible(message)}`;
    return `${status === "ok" ? line : emphasise(line)}\n${fix === null ? "" : `${" ".repeat(24)}-> ${visible(fix)}\n`}`;
  });
  await cli.result(findings, text.join(""));
  if (findings.some(({ status }) => status !== "ok")) cli.endWith(exitCodes.difference);
}

async function allFindings(cli: Cli): Promise<Finding[]> {
  let loaded: { config: Config; warnings: string[] };
  try {
    loaded = await cli.configure();
  } catch (error) {
    return [failed("configuration", error, "authsvc config check")];
  }
  const { config, warnings } = loaded;
  const configuration: Finding[] =
    warnings.length === 0
      ? [{ check: "configuration", status: "ok", message: "The configuration is valid.", fix: null }]
      : warnings.map((message) => ({ check: "configuration", status: "warning", message, fix: "authsvc config show" }));
  // Looking must not make one.
  if (config.database.url === undefined && !existsSync(join(config.dataDir, "authsvc.db")))
    return [
      ...configuration,
      { check: "database", status: "problem", message: "There is no database yet.", fix: "authsvc init" },
    ];
  try {
    let findings: Finding[] = [];
    await cli.withApp(async ({ doctor }) => {
      findings = await doctor.examine();
    });
    return [...configuration, ...findings];
  } catch (error) {
    // What went wrong says itself what to do; this shows whether the database is the one that was meant.
    return [...configuration, failed("database", error, "authsvc db status")];
  }
}

/** Only what the operator can mend is a finding; anything else is an error. */
function failed(check: Finding["check"], error: unknown, fix: string): Finding {
  if (!(error instanceof AppError) || (error.code !== "INVALID_CONFIG" && error.code !== "UNUSABLE_STORAGE"))
    throw error;
  return { check, status: "problem", message: error.message, fix };
}
