import { isoTime, minute } from "../lib/clock.ts";
import type { Change } from "../upkeep/desired-state/difference.ts";
import type { Context } from "../runtime/context.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";

/**
 * When an application's new algorithm starts to sign, with a message; undefined if it already does.
 */
export async function startSigning(
  ctx: Context,
  algorithm: SigningAlgorithm,
  options: { atOnce: boolean; dryRun: boolean },
): Promise<{ algorithm: SigningAlgorithm; signsFrom: string; note: string } | undefined> {
  const signingKeys = await import("../tokens/signing-keys.ts");
  const start = await signingKeys.announce(ctx, algorithm, options);
  if (!start) return undefined;
  const at = isoTime(start.signsFrom);
  const minutes = Math.ceil(start.waitMilliseconds / minute);
  const note = options.dryRun
    ? `${algorithm} would sign ${minutes} minutes after the change, once every server knows its key. Until then, the old key signs.`
    : `${algorithm} signs from ${at}. Its key is published now, so that every server knows it by then. Until then, the old key signs.`;
  return { algorithm, signsFrom: at, note };
}

/**
 * Like `startSigning`, for every application whose algorithm `changes` switches; `result` is for
 * `--json`.
 */
export async function startSigningAll(
  ctx: Context,
  changes: Change[],
  { dryRun }: { dryRun: boolean },
): Promise<{ result: { signingAlgorithms?: { algorithm: SigningAlgorithm; signsFrom: string }[] }; notes: string[] }> {
  const fields = changes.filter(({ action }) => action !== "delete").flatMap((change) => change.fields);
  const switched = fields.flatMap((field) =>
    field.field === "signingAlgorithm" && "after" in field ? [field.after as SigningAlgorithm] : [],
  );
  const starts = [];
  for (const algorithm of new Set(switched)) {
    const start = await startSigning(ctx, algorithm, { atOnce: false, dryRun });
    if (start) starts.push(start);
  }
  const signingAlgorithms = starts.map(({ algorithm, signsFrom }) => ({ algorithm, signsFrom }));
  return { result: starts.length === 0 ? {} : { signingAlgorithms }, notes: starts.map(({ note }) => note) };
}
