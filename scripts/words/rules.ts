/** Words that make a sentence need a second reading, or that have a plainer or standard form. */
const words: [pattern: RegExp, better: string][] = [
  [/\bmost[A-Z]\w*/gu, "name it maxX"],
  [/\bdear\b/giu, "expensive"],
  [/\bfor ever\b/giu, "permanently, or without end"],
  [/\bwho(?:m?ever|soever)\b/giu, "anybody who, or the noun itself"],
  [/\bgo(?:es|ing)? on\b/giu, "continue, stay valid, keep"],
  [/\basks? (?:\w+ )?in any case\b/giu, "always"],
  [/(?<=(?:\/\*\*|\/\/|[.;:]) )Not those of\b/gu, "a sentence with a subject and a verb"],
  [/\btoo many tries\b/giu, "too many attempts"],
  [/\bmend(?:s|ed)?\b/giu, "fix"],
  [/\bget hold of\b/giu, "obtain, or phishing-resistant"],
  [/\bends (?:https|TLS)\b/gu, "terminates TLS"],
  [/\bis (?:good|of use) (?:for|there) .*\balone\b/giu, "valid only for"],
  [/\bwhat is not so\b/giu, "outdated, wrong"],
  [/\btrust\w* .* no longer;/giu, "stop trusting"],
];

export type Found = { line: number; word: string; better: string };

/** The words of the list in a text, in order of its lines. */
export function findWords(text: string): Found[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      words.flatMap(([pattern, better]) =>
        [...line.matchAll(pattern)].map(([word]) => ({ line: index + 1, word, better })),
      ),
    );
}

/** A string before a function: the title of a test. Other texts of tests may quote anything. */
const title = /(["'`])((?:(?!\1).)+)\1,\s*(?:\w+,\s*|\{[^{}]*\},\s*)?(?:async\s*)?\(/gu;

/** A test file's titles, each on its line; the other lines are empty. */
export function titlesOf(source: string): string {
  const lines = source.split("\n").map(() => "");
  for (const { 2: text = "", index } of source.matchAll(title)) {
    const line = source.slice(0, index).split("\n").length - 1;
    lines[line] = `${lines[line]} ${text}`;
  }
  return lines.join("\n");
}
