import type { Application } from "../applications/application.ts";
import { isoTime } from "../lib/clock.ts";

/** A way in which a user can sign in. `name` is a device label, `provider` as in the contract. Instants are epoch milliseconds. */
export type Method = { id: string; createdAt: number; lastUsedAt: number | null } & (
  | { type: "passkey"; name: string }
  | { type: "oauth"; provider: string; email: string | null }
  | { type: "password" }
);

/** A method as the contract shows it (2.3). `email` is absent without the scope `email`. */
export type MethodAnswer = {
  type: Method["type"];
  id: string;
  name?: string;
  provider?: string;
  email?: string | null;
  createdAt: string;
  lastUsed: string | null;
};

export function methodAnswer(method: Method, scopes: string[]): MethodAnswer {
  const { type, id, createdAt, lastUsedAt } = method;
  return {
    type,
    id,
    ...(method.type === "passkey" ? { name: method.name } : {}),
    ...(method.type === "oauth" ? { provider: method.provider } : {}),
    ...(method.type === "oauth" && scopes.includes("email") ? { email: method.email } : {}),
    createdAt: isoTime(createdAt),
    lastUsed: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

/** What decides whether a method works now. */
export type Circumstances = {
  application: Application;
  /** The providers that the application has an account with. */
  configuredProviders: string[];
  /** Whether browsers can have passkeys for this service at all. */
  passkeysAvailable: boolean;
  /** A password is of use only beside an address. */
  hasEmail: boolean;
};

/** Whether this method alone would be let in now. */
export function canSignIn(method: Method, circumstances: Circumstances): boolean {
  const { application, configuredProviders, passkeysAvailable, hasEmail } = circumstances;
  const { passkey, oauth, password } = application.authMethods;
  switch (method.type) {
    case "passkey":
      return passkey.enabled && passkeysAvailable;
    case "oauth": {
      const { provider } = method;
      return oauth.enabled && oauth.providers.includes(provider) && configuredProviders.includes(provider);
    }
    case "password":
      return password.enabled && hasEmail;
  }
}

/**
 * Whether a user who had `methods` can do without `removed`. Where passkeys are required, a passkey is not replaced by other methods: they
 * only lead to it.
 */
export function canDoWithout(removed: Method, methods: Method[], circumstances: Circumstances): boolean {
  const left = methods.filter((method) => method.id !== removed.id && canSignIn(method, circumstances));
  const needsPasskey = removed.type === "passkey" && circumstances.application.authMethods.passkey.required;
  return needsPasskey ? left.some((method) => method.type === "passkey") : left.length > 0;
}
