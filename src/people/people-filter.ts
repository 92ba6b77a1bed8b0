/** Whom a list or a search of people is about. */

/**
 * Each person is in one: the first of pending, disabled, invited, blocked that holds, or else
 * active. Who waits for approval and has not proved the address is among the disabled.
 */
export const personStates = ["active", "invited", "pending", "disabled", "blocked"] as const;
export type PersonState = (typeof personStates)[number];

export type PeopleFilter = {
  /** Undefined: the people of all applications, no operators. */
  appId: string | undefined;
  /** `enabled`: not disabled, which the users' API calls active. */
  state: PersonState | "enabled" | undefined;
  groupId: string | undefined;
  /** A way to sign in; a provider as `provider:NAME`; `none`: without any. */
  method?: string | undefined;
  /** Without an authenticator app. */
  lacksFactor?: boolean;
  /** Epoch milliseconds; an invitation expires. */
  now?: number;
};

/** Whether a filter asks for more than an application. */
export function isNarrow({ state, groupId, method, lacksFactor = false }: PeopleFilter): boolean {
  return state !== undefined || groupId !== undefined || method !== undefined || lacksFactor;
}
