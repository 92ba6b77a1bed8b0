/** The code in what somebody typed: blanks and dashes between the digits and the digits of other keyboards are as good. Undefined: no code. */
export function typedCode(text: string): string | undefined {
  const code = text
    .slice(0, 64)
    .normalize("NFKC")
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, "")
    // Arabic and Persian digits end in their value.
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/gu, (digit) => String(digit.charCodeAt(0) & 15));
  return /^\d{8}$/u.test(code) ? code : undefined;
}
