// The thread of strength.ts: its dictionaries take time to load and 40 MB, which are freed with the
// thread.
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory, type MatchExtended } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import type { Strength, Weakness } from "./rules.ts";

export type StrengthQuestion = { id: number; password: string; words: string[] };

/**
 * Only this many characters are examined: they suffice, and longer passwords take ever more time.
 */
const maxCharacters = 64;

const common = new Set(dictionary["passwords-common"]);
const options = {
  graphs: adjacencyGraphs,
  maxLength: maxCharacters,
  useLevenshteinDistance: false,
  l33tMaxSubstitutions: 8,
};
const everything = new ZxcvbnFactory({ ...options, dictionary });
/** Sees "qwertyuiopasdfgh" as a keyboard path; the other one sees two common passwords. */
const shapes = new ZxcvbnFactory({ ...options, dictionary: {} });

const weaknessOf: Record<string, Weakness> = {
  spatial: "keyboard",
  repeat: "repeated",
  sequence: "sequence",
  date: "date",
  dictionary: "common",
  wordSequence: "common",
};
/** The share of a password that a pattern must cover to be reported as the reason. */
const maxOfIt = 0.7;

function strengthOf({ password, words }: StrengthQuestion): Strength {
  const { guessesLog10, sequence } = everything.check(password, words);
  const isCommon = common.has(password.toLowerCase());
  return { isCommon, guessesLog10, weakness: shapeOf(password) ?? weaknessIn(sequence) };
}

function shapeOf(password: string): Weakness | undefined {
  const { weakness, share } = largestPart(shapes.check(password).sequence);
  return share >= maxOfIt ? weakness : undefined;
}

function weaknessIn(sequence: MatchExtended[]): Weakness {
  return largestPart(sequence).weakness ?? "predictable";
}

function largestPart(sequence: MatchExtended[]): { weakness: Weakness | undefined; share: number } {
  const parts = new Map<Weakness, number>();
  let all = 0;
  for (const match of sequence) {
    all += match.token.length;
    const isPersonal = match.pattern === "dictionary" && match["dictionaryName"] === "userInputs";
    const weakness = isPersonal ? "personal" : weaknessOf[match.pattern];
    if (weakness) parts.set(weakness, (parts.get(weakness) ?? 0) + match.token.length);
  }
  const [largest] = [...parts].toSorted(([, one], [, other]) => other - one);
  return { weakness: largest?.[0], share: (largest?.[1] ?? 0) / Math.max(1, all) };
}

parentPort?.on("message", (question: StrengthQuestion) => {
  parentPort?.postMessage({ id: question.id, ...strengthOf(question) });
});
