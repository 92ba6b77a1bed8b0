/** The rule for one value; `T` is its type once accepted. */
export type Rule<T> = {
  kind: "number" | "flag" | "list" | "text";
  accepts(value: unknown): value is T;
  /**
   * What is wrong with a rejected value, as a phrase to follow its name: `must be true or false`.
   */
  problemOf(value: unknown): string;
};

/**
 * Rejects control characters: they are never intended in a path or address, and NUL makes file
 * calls throw.
 */
export function text(problem: string, isValid: (value: string) => boolean = () => true): Rule<string> {
  // oxlint-disable-next-line no-control-regex
  return string(problem, (value) => value !== "" && !/[\u0000-\u001f\u007f]/.test(value) && isValid(value));
}

/** Only `isValid` decides whether the secret is valid. */
export function secret(problem: string, isValid: (value: string) => boolean): Rule<string> {
  return string(problem, isValid);
}

export function wholeNumber(minimum: number, maximum: number): Rule<number> {
  const problem = `must be a whole number from ${minimum} to ${maximum}`;
  return one(
    "number",
    problem,
    (value): value is number => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  );
}

/** A whole number, or a word instead. */
export function wholeNumberOr<const Word extends string>(
  word: Word,
  minimum: number,
  maximum: number,
): Rule<number | Word> {
  const number = wholeNumber(minimum, maximum);
  return one(
    "number",
    `${number.problemOf(undefined)} or ${word}`,
    (value): value is number | Word => value === word || number.accepts(value),
  );
}

export function oneOf<const Value extends string>(values: readonly Value[]): Rule<Value> {
  const problem = `must be one of ${values.join(", ")}`;
  return one("text", problem, (value): value is Value => values.some((known) => known === value));
}

export const flag: Rule<boolean> = one("flag", "must be true or false", (value) => typeof value === "boolean");

export function list(entry: Rule<string>): Rule<readonly string[]> {
  return {
    kind: "list",
    accepts: (value): value is string[] => Array.isArray(value) && value.every((part) => entry.accepts(part)),
    problemOf(value) {
      if (!Array.isArray(value)) return "must be a list";
      const position = value.findIndex((part) => !entry.accepts(part));
      return `entry ${position + 1} ${entry.problemOf(value[position])}`;
    },
  };
}

function string(problem: string, isValid: (value: string) => boolean): Rule<string> {
  return one("text", problem, (value): value is string => typeof value === "string" && isValid(value));
}

function one<T>(kind: Rule<T>["kind"], problem: string, accepts: (value: unknown) => value is T): Rule<T> {
  return { kind, accepts, problemOf: () => problem };
}
