const form = /^(\d+)\.(\d+)\.(\d+)(?:-([\da-z.-]+))?$/iu;

export function isVersion(text: string): boolean {
  return form.test(text);
}

/** Below 0 if `one` is older, by Semantic Versioning 2.0.0 §11. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (const [place, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release comes after its previews.
  if (a.preview.length === 0 || b.preview.length === 0) return b.preview.length - a.preview.length;
  for (const [place, word] of a.preview.entries()) {
    const difference = compareWords(word, b.preview[place]);
    if (difference !== 0) return difference;
  }
  return a.preview.length - b.preview.length;
}

function partsOf(version: string): { numbers: number[]; preview: string[] } {
  const [, major, minor, patch, preview] = form.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), preview: preview?.split(".") ?? [] };
}

/** Numbers come before words. */
function compareWords(one: string, other: string | undefined): number {
  if (other === undefined) return 1;
  const [a, b] = [one, other].map((word) => (/^\d+$/u.test(word) ? Number(word) : undefined));
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined || b !== undefined) return a === undefined ? 1 : -1;
  return one === other ? 0 : one < other ? -1 : 1;
}
