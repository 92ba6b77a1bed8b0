import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { OperatorRole } from "../storage/column-types.ts";
import type { Entry } from "./entry/entry.ts";
import type { Operator } from "./operator.ts";

/** A request of a known operator who may make it. */
export type Visit = {
  request: HttpRequest;
  operator: Operator;
  /** The token of forms in this browser session. */
  formToken: string;
  /** Binds what only this browser session may show (`parts/notice.ts`). */
  sessionKey: string;
  entry: Entry;
};

/** A posted form, which came from a page of this session. */
export type Post = Visit & { form: Map<string, string>; by: By };

type Handle<V extends Visit> = (ctx: Context, visit: V) => Promise<Answer> | Answer;

/** A page. It changes nothing. */
export type View = {
  method: "GET";
  /** Below /console; `:name` matches one path segment. */
  path: string;
  role: OperatorRole;
  /** About the whole service: an operator of one application does not see it. */
  isGlobal: boolean;
  handle: Handle<Visit>;
};

/** Whether the form's action needs a passkey, depending on its changes. */
export type AsksIf = (ctx: Context, post: Post) => Promise<boolean>;

/**
 * The proof within the last ten minutes that an act needs in a team's console: the passkey, if it
 * opens access or removes a sign-in method or second factor.
 */
export type AsksFor = "passkey" | "nothing" | AsksIf;

/** A field whose value is never shown. */
export type SecretField = { name: string; label: string; kind: "secret" | "secret-lines" };

/** The action of a form. */
export type Act = {
  method: "POST";
  path: string;
  role: OperatorRole;
  isGlobal: boolean;
  asksFor: AsksFor;
  /** A form that comes back does not have them. */
  secrets: readonly SecretField[];
  /** Its form may have a file. */
  takesFile: boolean;
  handle: Handle<Post>;
};

export type ConsoleRoute = View | Act;

type Options = { isGlobal?: boolean; secrets?: readonly SecretField[]; takesFile?: boolean };

/** Makes a line of `routes.ts`. */
export function view(path: string, role: OperatorRole, handle: Handle<Visit>, options: Options = {}): View {
  return { method: "GET", path: `/console${path}`, role, isGlobal: options.isGlobal ?? false, handle };
}

export function act(
  path: string,
  role: OperatorRole,
  asksFor: AsksFor,
  handle: Handle<Post>,
  { isGlobal = false, secrets = [], takesFile = false }: Options = {},
): Act {
  return { method: "POST", path: `/console${path}`, role, isGlobal, asksFor, secrets, takesFile, handle };
}

/** The path of a route with its `:name` parts filled in. */
export function pathOf({ path }: Pick<ConsoleRoute, "path">, parameters: Record<string, string> = {}): string {
  return path.replaceAll(/:(\w+)/gu, (_part, name: string) => encodeURIComponent(parameters[name] ?? ""));
}
