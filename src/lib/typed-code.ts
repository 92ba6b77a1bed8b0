/**
 * Normalises a code that a person typed: ignores spaces and dashes, accepts Arabic and Persian
 * digits. Undefined if it is not a code.
 */
export function typedCode(text: string): string | undefined {
  const code = text
    .slice(0, 64)
    .normalize("NFKC")
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, "")
    // The low four bits of Arabic and Persian digits are their value.
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/gu, (digit) => String(digit.charCodeAt(0) & 15));
  return /^\d{8}$/u.test(code) ? code : undefined;
}
