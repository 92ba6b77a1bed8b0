import type { ApplicationChange } from "../../src/applications/settings.ts";
import type { NewProfileField } from "../../src/applications/profile-fields.ts";
import { goodPassword, initiate, Visitor, type Page, type Session } from "./person.ts";
import { updateApp, type TestApp, type TestService } from "./service.ts";

export const someTerms = { termsVersion: "1", termsUrl: "https://acme.example/terms" };

/** A field that every sign-in asks for until it has a value. */
export const team: NewProfileField = {
  name: "team",
  type: "text",
  label: { en: "Your team", de: "Ihr Team" },
  askAt: "nextSignIn",
  required: true,
};

export async function ask(service: TestService, app: TestApp, settings: ApplicationChange["settings"]): Promise<void> {
  await updateApp(service, app, { settings });
  // A running service notices within a second.
  service.clock.advance(1000);
}

/** Signs in by password, and stops at the page that follows, or at what the app gets. */
export async function signInToStep(
  service: TestService,
  app: TestApp,
  { email, password = goodPassword }: { email: string; password?: string },
  visitor = new Visitor(),
  extra: Record<string, unknown> = {},
): Promise<{ session: Session; visitor: Visitor; page: Page }> {
  const session = await initiate(service, app, extra);
  const opened = await visitor.get(session.authUrl);
  const done = await visitor.submit(opened, "/password", { email, password });
  return { session, visitor, page: await follow(visitor, done) };
}

/** The page of the sign-in where an answer leads; the answer itself if it leads elsewhere. */
export async function follow(visitor: Visitor, answer: Page): Promise<Page> {
  const isStep = answer.status === 303 && answer.location.pathname.startsWith("/sign-in/");
  return isStep ? await visitor.get(answer.location.href) : answer;
}

/** Presses a button of the page of the terms, and follows. */
export async function answerTerms(visitor: Visitor, page: Page, answer: "yes" | "no"): Promise<Page> {
  return await follow(visitor, await visitor.submit(page, "/step/terms", { answer }));
}

/** Sends the form of the profile, and follows. */
export async function fillIn(visitor: Visitor, page: Page, values: Record<string, string>): Promise<Page> {
  const fields = Object.entries(values).map(([name, value]) => [`profile-${name}`, value]);
  return await follow(visitor, await visitor.submit(page, "/step/profile", Object.fromEntries(fields)));
}

/** Which step a page of a sign-in asks for. */
export function stepOf(page: Page): "terms" | "profile" | undefined {
  if (page.text.includes("/step/terms")) return "terms";
  return page.text.includes("/step/profile") ? "profile" : undefined;
}

export function codeOf(page: Page): string {
  return page.location.searchParams.get("code") ?? "";
}
