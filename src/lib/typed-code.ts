/**
 * Normalises a typed code: without spaces, dashes, accents and invisible characters, in upper case,
 * with 0 to 9 for the digits of any script. Empty if it is too long.
 */
export function plainCode(text: string): string {
  if (text.length > 64) return "";
  return (
    text
      .normalize("NFKD")
      // Unicode does not count the minus sign and the Japanese hyphen key's character as dashes.
      .replaceAll(/[\s\p{Pd}\p{Cf}\p{M}\u2212\u30FC]/gu, "")
      .replaceAll(/\p{Nd}/gu, asciiDigit)
      .toUpperCase()
  );
}

/** In Unicode the ten digits of a script follow each other, and sometimes another script's. */
function asciiDigit(digit: string): string {
  let before = 0;
  const code = digit.codePointAt(0) ?? 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

/** The code of a mail that a person typed. Undefined if it is not one. */
export function typedCode(text: string): string | undefined {
  const code = plainCode(text);
  return /^\d{8}$/u.test(code) ? code : undefined;
}
