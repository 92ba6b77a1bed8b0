import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { configurationFindings } from "../../upkeep/doctor/rules.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { padded, styled, visible } from "../output/text.ts";

export function addDoctor(program: CliCommand, cli: Cli): void {
  program
    .command("doctor")
    .description("find problems of this installation and print the fixes; exit code 5 for an error, 0 for warnings")
    .option("--strict", "exit code 5 for warnings as well")
    .examples("authsvc doctor --strict", "authsvc doctor --json | jq -r '.[] | select(.status != \"ok\") | .fix'")
    .action(async (flags: { strict?: boolean }) => examine(cli, flags));
}

const colours = { ok: "green", warning: "yellow", problem: "red" } as const;

async function examine(cli: Cli, { strict }: { strict?: boolean }): Promise<void> {
  const findings = await allFindings(cli);
  const text = findings.map(({ check, status, message, fix }) => {
    const line = `${styled(colours[status], padded(status, 7))}  ${check.padEnd(14)}  ${visible(message)}\n`;
    return fix === null ? line : `${line}${" ".repeat(24)}-> ${visible(fix)}\n`;
  });
  await cli.result(findings, text.join(""));
  const failing = strict ? ["problem", "warning"] : ["problem"];
  if (findings.some(({ status }) => failing.includes(status))) cli.endWith(exitCodes.difference);
}

async function allFindings(cli: Cli): Promise<Finding[]> {
  let config: Config;
  try {
    ({ config } = await cli.configure());
  } catch (error) {
    return [failed("configuration", error, "authsvc config check")];
  }
  const weak = configurationFindings(config);
  const configuration: Finding[] =
    weak.length === 0
      ? [{ check: "configuration", status: "ok", message: "The configuration is valid.", fix: null }]
      : weak;
  // The check must not create a database.
  if (config.database.url === undefined && !existsSync(join(config.dataDir, "authsvc.db")))
    return [
      ...((await unreadableFiles(config)) ?? configuration),
      { check: "database", status: "problem", message: "There is no database yet.", fix: "authsvc init" },
    ];
  try {
    let findings: Finding[] = [];
    await cli.withApp(async (ctx) => {
      const { examine: examineInstallation } = await import("../../upkeep/doctor/service.ts");
      findings = await examineInstallation(ctx);
    });
    return [...configuration, ...findings];
  } catch (error) {
    // The error says what to do; this command shows whether it is the intended database.
    return [...configuration, failed("database", error, "authsvc db status")];
  }
}

/** A start would read them first. */
async function unreadableFiles(config: Config): Promise<Finding[] | undefined> {
  const { examineFiles } = await import("../../process/configured-files.ts");
  try {
    await examineFiles(config, Date.now());
    return undefined;
  } catch (error) {
    return [failed("configuration", error, "authsvc config check")];
  }
}

/** Only what the operator can fix is a finding; anything else is an error. */
function failed(check: Finding["check"], error: unknown, fix: string): Finding {
  if (!(error instanceof AppError) || (error.code !== "INVALID_CONFIG" && error.code !== "UNUSABLE_STORAGE"))
    throw error;
  return { check, status: "problem", message: error.message, fix };
}
