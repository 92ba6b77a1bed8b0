import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { AssetLinks } from "../../pages/assets/assets.ts";
import type { Frame } from "../../pages/parts/frame.ts";
import { standInPage } from "./stand-in-page.ts";
import { standInPostPage, standInRefusalPage, standInReturnPage } from "./stand-in-answers.ts";
import { textsFor } from "../../look/texts/texts.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { checkAuthorizationRequest, type AuthorizationRequest, type RefusedRequest } from "./authorization-request.ts";
import { failuresOf, oddTimesOf } from "./failures.ts";
import type { Grants } from "./grants.ts";
import { personFrom, preparedPeople, subjectOf, type Person } from "./people.ts";
import { issuerOf, type StandIn } from "./stand-ins.ts";

/** Shared by the sign-in pages of all stand-ins. */
type Pages = { origin: string; callbackUrl(standIn: StandIn): string; grants: Grants; assets: AssetLinks };

function frameFor({ origin, assets }: Pages, { displayName, colour }: StandIn): Frame {
  const look = { name: `${displayName} (stand-in)`, companyName: null, logo: null, primaryColor: colour };
  return { look, ...textsFor("en", undefined), host: new URL(origin).host, assets };
}

/**
 * Returns to the client, not by a redirect: browsers apply this page's form-action to every
 * redirect after its form, and the app's later redirects are unknown here. GitHub does the same.
 */
function sendBack(
  pages: Pages,
  standIn: StandIn,
  { redirectUri, state }: Return,
  answer: Record<string, string>,
): Answer {
  const frame = frameFor(pages, standIn);
  const fields = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  if (standIn.answersBy === "form_post") {
    const target = new URL(redirectUri).origin;
    // On the same origin the service redirects to the app at once; otherwise its own page, with its
    // own policy, is between.
    const formTargets = target === pages.origin ? ["http:", "https:"] : [target];
    return pageAnswer(standInPostPage(frame, redirectUri, fields), { formTargets });
  }
  const address = new URL(redirectUri);
  for (const [name, value] of fields) address.searchParams.set(name, value);
  return pageAnswer(standInReturnPage(frame, address.href), { headers: { refresh: `0; url=${address.href}` } });
}

function refuse(pages: Pages, standIn: StandIn, refused: RefusedRequest): Answer {
  return refused.tell === "person"
    ? pageAnswer(standInRefusalPage(frameFor(pages, standIn), refused.reason), { status: 400 })
    : sendBack(pages, standIn, refused, { error: refused.error, error_description: refused.reason });
}

function agree(pages: Pages, standIn: StandIn, request: AuthorizationRequest, form: Map<string, string>): Answer {
  const choices = [...failuresOf(standIn), ...oddTimesOf(standIn)];
  const failure = form.has("fail") ? choices.find(({ id }) => id === form.get("failure"))?.id : undefined;
  if (failure === "authorization-error")
    return sendBack(pages, standIn, request, {
      error: "server_error",
      error_description: "The stand-in is set to fail.",
    });
  const person = personFrom(form);
  const code = pages.grants.issueCode({ provider: standIn.name, request, person, failure });
  return sendBack(pages, standIn, request, {
    code,
    ...(standIn.namesIssuer ? { iss: issuerOf(pages.origin, standIn) } : {}),
    ...appleUser(pages, standIn, request, person),
  });
}

/** Apple sends the name only at a person's first sign-in. */
function appleUser(
  { grants }: Pages,
  standIn: StandIn,
  { scopes }: AuthorizationRequest,
  person: Person,
): Record<string, string> {
  if (standIn.name !== "apple" || !scopes.includes("name")) return {};
  if (!grants.isFirstTime(subjectOf(standIn.name, person))) return {};
  const [firstName = "", ...others] = person.name.split(" ");
  const email = person.email ?? undefined;
  return { user: JSON.stringify({ name: { firstName, lastName: others.join(" ") }, email }) };
}

/** GET /dev/providers/{provider}/authorize: the sign-in page. */
export function showAuthorization(pages: Pages, standIn: StandIn, request: HttpRequest): Answer {
  const checked = checkAuthorizationRequest(standIn, pages.callbackUrl(standIn), request.query());
  if ("tell" in checked) return refuse(pages, standIn, checked);
  const { saysVerified, displayName, clientId } = standIn;
  const people = [...preparedPeople].map(([id, person]) => ({ id, ...person }));
  const { scopes, redirectUri } = checked;
  const shown = {
    displayName,
    people,
    saysVerified,
    scopes,
    clientId,
    redirectUri,
    failures: [...failuresOf(standIn), ...oddTimesOf(standIn)],
  };
  return pageAnswer(standInPage(frameFor(pages, standIn), shown));
}

/** POST to the same URL, whose query still has the request. */
export async function answerAuthorization(pages: Pages, standIn: StandIn, request: HttpRequest): Promise<Answer> {
  const form = await request.form();
  const checked = checkAuthorizationRequest(standIn, pages.callbackUrl(standIn), request.query());
  if ("tell" in checked) return refuse(pages, standIn, checked);
  if (!form.has("cancel")) return agree(pages, standIn, checked, form);
  const error = standIn.name === "apple" ? "user_cancelled_authorize" : "access_denied";
  return sendBack(pages, standIn, checked, { error });
}

type Return = Pick<AuthorizationRequest, "redirectUri" | "state">;
