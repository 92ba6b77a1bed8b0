const encoder = new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

export function toText(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  return decoder.decode(bytes);
}

export function toBase64Url(bytes: Uint8Array): string {
  // A sealed cookie has 10 KB at most, so it does not fill the stack.
  const text = btoa(String.fromCharCode(...bytes));
  return text.replace(/[+/=]/gu, (sign) => ({ "+": "-", "/": "_" })[sign] ?? "");
}

/** @throws if it is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/u.test(text)) throw new TypeError("not base64url");
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** @throws if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** 256 random bits, for what must not be guessed. */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
}
