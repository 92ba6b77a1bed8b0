/** The books: a server that writes down what people tell it, for each organization apart. */
import { AuthsvcError, createAuthsvc, type Authsvc } from "../../packages/sdk/src/index.ts";
import { call } from "../support/person.ts";
import { Violation } from "./model.ts";
import type { EmployeeToken, KnownOrganization, Roles } from "./organizations.ts";
import { issuer } from "./programs.ts";
import { time } from "./time.ts";
import type { World } from "./world.ts";

/** What `verify` promises: the list of what ended is never older. */
const staleness = 5000;

/** How late a change of a whole organization may be seen. */
export function lateness({ faults }: World): number {
  // Reading it takes two statements, each of which may be slow.
  return 1100 + 30 * faults.slow;
}

export class Books {
  readonly #world: World;
  readonly #server: Authsvc;

  constructor(world: World) {
    const { id: appId, apiKey } = world.firms.app;
    this.#world = world;
    const send = async (url: string, init: RequestInit): Promise<Response> => await fetch(url, init);
    this.#server = createAuthsvc({ issuer, appId, apiKey, fetch: send });
  }

  close(): void {
    this.#server.close();
  }

  /**
   * Writes something with a token: only in the book of the organization that it names, and only
   * while that is true. Returns whether it was taken. O1, O4 and O12.
   */
  async write(token: EmployeeToken): Promise<boolean> {
    const { employee, login, organizationId: id } = token;
    const world = this.#world;
    const from = time.now();
    const organization = world.firms.organizations.find((each) => each.id === id);
    const look = organization?.look(employee);
    const late = lateness(world);
    const saysTooMuch = look !== undefined && token.saysTooMuch(look, late);
    const mustBeTaken = look === undefined || token.isTrue(look, late);
    const { service, firms } = world;
    const headers = { authorization: `Bearer ${token.text}`, "x-service-app-id": firms.app.id };
    const { status, body } = await call(service, "GET", "/auth/validate", headers);
    const where = organization?.name ?? "no organization";
    world.note(`${login.name} writes in the book of ${where}: ${status}`);
    const isKnown = look?.isStill() !== false && !this.#hungSince(from - late);
    if (status === 200) {
      const claims = body["claims"] as { org_id?: string; org_roles?: string[] } | undefined;
      if (claims?.org_id !== id)
        throw new Violation("O12", `${login.name} wrote for ${claims?.org_id} instead of ${id}`);
      if (login.wasOver(from)) throw new Violation("O1", `${login.name} wrote in the book of ${where} after its end`);
      if (saysTooMuch && isKnown && world.clockHasBeenRight)
        throw new Violation("O1", `${login.name} wrote in the book of ${where} as ${token.roles}, which had ended`);
      if (organization && isKnown) this.#checkRoles(organization, token, claims?.org_roles ?? [], look?.roles ?? []);
      return true;
    }
    if (saysTooMuch) world.reached("a token that says more about its organization than is true");
    const mustBeLive = login.wasUntouched(time.now()) && employee.wasLeftAlone(from);
    const isCurrent = token.expiresAt > time.now() && world.clockHasBeenRight;
    if (status === 401 && mustBeTaken && isKnown && mustBeLive && isCurrent)
      throw new Violation("O4", `${login.name} was refused in ${where} as ${token.roles}, which nobody ended`);
    return false;
  }

  /** The answer has the roles of now. */
  #checkRoles({ name }: KnownOrganization, { login }: EmployeeToken, given: string[], known: readonly Roles[]): void {
    const roles = given.toSorted().join(" ");
    if (!known.includes(roles))
      throw new Violation("O12", `${login.name} is shown in ${name} as ${roles}; acknowledged: ${known.join(" or ")}`);
  }

  /** The same by `verify` of the package, which may be late by what it promises. */
  async verify(token: EmployeeToken): Promise<void> {
    const { employee, login, organizationId: id } = token;
    const world = this.#world;
    const organization = world.firms.organizations.find((each) => each.id === id);
    if (!organization) return;
    const look = organization.look(employee);
    const saysTooMuch = token.saysTooMuch(look, 0);
    // Its list is then as new as this.
    if (saysTooMuch) await time.pause(staleness);
    const isTaken = await this.#server.verify(token.text).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof AuthsvcError)) throw error;
        return false;
      },
    );
    world.note(`${login.name} is verified for ${organization.name}: ${isTaken}`);
    if (!isTaken || !saysTooMuch || !look.isStill() || !world.clockHasBeenRight) return;
    throw new Violation("O1", `verify took ${login.name} in ${organization.name} as ${token.roles}, which had ended`);
  }

  /** Whoever reads while the database hangs sees it later. */
  #hungSince(moment: number): boolean {
    return this.#world.faults.hangsUntil > moment;
  }
}
