/**
 * A change, or what makes one of the state that its transaction has locked: a form compares that
 * with what it showed (docs/decisions/0087).
 */
export type Wanted<Change, Current> = Change | ((current: Current) => Change);

export function changeOf<Change extends object, Current>(wanted: Wanted<Change, Current>, current: Current): Change {
  return typeof wanted === "function" ? wanted(current) : wanted;
}
