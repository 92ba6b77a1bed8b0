import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Grant, Grants } from "./grants.ts";
import { subjectOf } from "./people.ts";
import type { StandIn } from "./stand-ins.ts";
import { garbage } from "./tokens.ts";

type UserinfoRequest = Pick<HttpRequest, "header" | "query">;

export type Describe = (subject: string, grant: Grant, request: UserinfoRequest) => unknown;

/** The userinfo paths of providers without id_tokens, below their base URL. */
export const userinfoPaths: Record<"github" | "discord" | "facebook", Record<string, Describe>> = {
  github: { "/user": githubUser, "/user/emails": githubEmails },
  discord: { "/users/@me": discordUser },
  facebook: { "/me": facebookUser },
};

/** Answers with what `describe` says about the access token's person. */
export function answerUserinfo(grants: Grants, standIn: StandIn, describe: Describe, request: UserinfoRequest): Answer {
  const token = /^Bearer (\S+)$/u.exec(request.header("authorization") ?? "")?.[1] ?? "";
  const grant = grants.findToken(standIn.name, token);
  if (!grant) return json({ message: "The access token is missing or not valid." }, 401);
  if (grant.failure === "userinfo-500") return { status: 500, headers: {}, body: "The stand-in is set to fail." };
  if (grant.failure === "userinfo-garbage") return garbage();
  const described = describe(subjectOf(standIn.name, grant.person), grant, request);
  return described === undefined ? json({ message: "Not Found" }, 404) : json(described);
}

/** The id is a number. Contains the address only if the person made it public. */
function githubUser(subject: string, { person }: Grant): unknown {
  return { id: Number(subject), login: loginOf(person.name), name: person.name || null, email: null };
}

/** Requires the scope. The first address is not the primary one. */
function githubEmails(_: string, { person, request }: Grant): unknown {
  if (!request.scopes.includes("user:email")) return undefined;
  if (person.email === null) return [];
  return [
    { email: `${loginOf(person.name)}@users.noreply.github.example`, primary: false, verified: true, visibility: null },
    { email: person.email, primary: true, verified: person.verified, visibility: "private" },
  ];
}

function discordUser(subject: string, { person, request }: Grant): unknown {
  const user = { id: subject, username: loginOf(person.name), global_name: person.name || null };
  if (!request.scopes.includes("email")) return user;
  return { ...user, email: person.email, verified: person.email !== null && person.verified };
}

/** Only the requested fields, and nothing about who owns the address. */
function facebookUser(subject: string, { person, request: { scopes } }: Grant, request: UserinfoRequest): unknown {
  const fields = (request.query().get("fields") ?? "id,name").split(",");
  const email = scopes.includes("email") ? (person.email ?? undefined) : undefined;
  return Object.fromEntries(
    Object.entries({ id: subject, name: person.name, email }).filter(([field]) => fields.includes(field)),
  );
}

function loginOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-") || "somebody";
}
