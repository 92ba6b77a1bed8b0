import { invalidRequest } from "./errors.ts";
import { isShowable } from "./text.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;
export const idRule = "1 to 64 letters, digits, '.', '_' or '-', starting with a letter or digit";
/** No space and no comma: lists of names are separated by them. */
const groupNameForm = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,63}$/u;

/** Whether a text can be an id, chosen by an operator or made by this service. */
export function isId(text: string): boolean {
  return idForm.test(text);
}

/** An id that an operator chose. Throws INVALID_REQUEST. */
export function checkedId(id: string): string {
  if (!isId(id)) throw invalidRequest("id", idRule);
  return id;
}

/** Whether a text can be the name of a group of users. */
export function isGroupName(text: string): boolean {
  return groupNameForm.test(text);
}

/** Checks a name given by an operator. Throws INVALID_REQUEST naming the field. */
export function checkedName(field: string, name: string, maxLength: number): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > maxLength) throw invalidRequest(field, `1 to ${maxLength} characters`);
  if (!isShowable(trimmed)) throw invalidRequest(field, "no control characters");
  return trimmed;
}
