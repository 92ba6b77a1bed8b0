import { invalidRequest } from "./errors.ts";
import { isShowable } from "./text.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

/** An id that an operator chose. Throws INVALID_REQUEST. */
export function checkedId(id: string): string {
  if (!idForm.test(id))
    throw invalidRequest("id: 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or digit");
  return id;
}

/** Checks a name given by an operator. Throws INVALID_REQUEST naming the field. */
export function checkedName(field: string, name: string, maxLength: number): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > maxLength) throw invalidRequest(`${field}: 1 to ${maxLength} characters`);
  if (!isShowable(trimmed)) throw invalidRequest(`${field}: no control characters`);
  return trimmed;
}
