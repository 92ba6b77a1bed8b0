/** Organizations and the people in them, as they and the application's server know them. */
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as resources from "../../src/applications/resources/service.ts";
import * as newUsers from "../../src/people/new-users.ts";
import type { Context } from "../../src/runtime/context.ts";
import { Visitor } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import type { Generator } from "./generator.ts";
import { KnownLogin, KnownPerson, passwords, Possible } from "./model.ts";
import { claimsOf } from "./oracles/tokens.ts";
import type { Program } from "./programs.ts";
import { time } from "./time.ts";

const by = { actor: { kind: "cli", name: "simulation" } } as const;

/** Sorted, in one text; "": no member. */
export type Roles = string;
/** "strict": asks for a second factor, which nobody has. */
export type State = "on" | "strict" | "off" | "gone";

export const roleChoices = ["member", "admin", "owner", "billing member", "billing", "admin audit"] as const;

export const has = (roles: Roles, role: string): boolean => roles.split(" ").includes(role);
export const together = (some: Roles, others: Roles): Roles =>
  [...new Set(`${some} ${others}`.split(" "))].filter(Boolean).toSorted().join(" ");

/** An act that changes several things at once. */
type Change = <Result>(
  act: () => Promise<Result>,
  happened: (result: Result) => boolean | undefined,
) => Promise<Result>;

export function becomes<Value>(known: Possible<Value>, to: Value | ((before: Value) => Value)): Change {
  return async (act, happened) => await known.changing(to, act, happened);
}

function mayBecome<Value>(known: Possible<Value>, to: Value): Change {
  return async (act) => await known.changing(to, act, () => undefined);
}

export async function changingAll<Result>(
  changes: readonly Change[],
  act: () => Promise<Result>,
  happened: (result: Result) => boolean | undefined,
): Promise<Result> {
  const whole = changes.reduce<() => Promise<Result>>(
    (inner, change) => async () => await change(inner, happened),
    act,
  );
  return await whole();
}

export type Invitation = {
  /** Undefined: its answer was lost. */
  id: string | undefined;
  organization: KnownOrganization;
  invited: Employee;
  inviter: Employee | undefined;
  roles: Roles;
  end: Possible<"open" | "over">;
};

/** What may be true of somebody in an organization at one moment. */
export type Look = {
  roles: readonly Roles[];
  states: readonly State[];
  /** Since when at least. */
  since: number;
  /** Whether that is all that may have been true since. */
  isStill: () => boolean;
};

export class KnownOrganization {
  readonly slug: string;
  readonly name: string;
  id = "";
  readonly state = new Possible<State>("on");
  /** Whether somebody certainly owns it: only the server and operators may take its last owner. */
  readonly isOwned = new Possible(true);
  readonly invitations: Invitation[] = [];
  readonly machine: Program;
  machineTokens: { token: string; expiresAt: number }[] = [];
  /** When its state last changed. */
  #changedAt = 0;
  readonly #roles = new Map<Employee, Possible<Roles>>();

  constructor(number: number, resource: string) {
    this.slug = `firm-${number}`;
    this.name = `Firm ${number}`;
    this.machine = {
      id: `cli_firm${number}`,
      redirectUri: "",
      scopes: ["read"],
      resource,
      secret: `cs_${number}`.padEnd(43, "x"),
    };
  }

  get path(): string {
    return `/organizations/${this.id}`;
  }

  rolesOf(employee: Employee): Possible<Roles> {
    const known = this.#roles.get(employee) ?? new Possible("");
    this.#roles.set(employee, known);
    return known;
  }

  get people(): readonly [Employee, Possible<Roles>][] {
    return [...this.#roles];
  }

  look(employee: Employee): Look {
    const roles = this.rolesOf(employee);
    const watches = [roles.watch(), this.state.watch()];
    const isStill = (): boolean => watches.every((watch) => watch.isAlone());
    return { roles: roles.all, states: this.state.all, since: this.#changedAt, isStill };
  }

  /** What ends with an act on somebody: what they sent, and once they are removed what they got. */
  endingWith(employee: Employee, { isRemoved, isSure }: { isRemoved: boolean; isSure: boolean }): Change[] {
    const ending = this.invitations.filter(
      ({ inviter, invited, end }) =>
        end.allows("open") && (inviter === employee || (isRemoved && invited === employee)),
    );
    return ending.map(({ end }) => (isSure ? becomes(end, "over") : mayBecome(end, "over")));
  }

  /** What an act may change that gives somebody other roles, or none. */
  changesOf(employee: Employee, roles: Roles, { byServer = false, leaves = false } = {}): Change[] {
    const keepsRights = has(roles, "admin") || has(roles, "owner");
    const mayTakeOwner =
      byServer && !has(roles, "owner") && this.rolesOf(employee).all.some((each) => has(each, "owner"));
    return [
      becomes(this.rolesOf(employee), roles),
      ...this.endingWith(employee, { isRemoved: roles === "" && !leaves, isSure: !keepsRights }),
      ...(mayTakeOwner ? [becomes(this.isOwned, false)] : []),
    ];
  }

  stateTo(to: State | ((before: State) => State)): Change {
    return async (act, happened) =>
      await this.state.changing(to, act, happened).finally(() => (this.#changedAt = time.now()));
  }

  /** It was read, and nothing else can be true. */
  is(state: State): void {
    if (!this.state.isOnly(state)) this.#changedAt = time.now();
    this.state.is(state);
  }
}

/** An access token, and what it says. */
export class EmployeeToken {
  readonly text: string;
  readonly employee: Employee;
  readonly login: EmployeeLogin;
  readonly organizationId: string | undefined;
  readonly roles: Roles;
  readonly expiresAt: number;

  constructor(text: string, employee: Employee, login: EmployeeLogin) {
    const { org_id: id, org_roles: roles } = claimsOf(text) as { org_id?: string; org_roles?: string[] };
    this.text = text;
    this.employee = employee;
    this.login = login;
    this.organizationId = id;
    this.roles = (roles ?? []).toSorted().join(" ");
    this.expiresAt = time.now() + 840_000;
  }

  /** Whether it is untrue for sure. `late`: how late a change of the organization may be seen. */
  saysTooMuch({ roles, states, since }: Look, late: number): boolean {
    const isOver = !states.includes("on") && since < time.now() - late;
    return isOver || !roles.some((each) => each !== "" && this.roles.split(" ").every((role) => has(each, role)));
  }

  /** Whether it is true for sure. */
  isTrue({ roles, states, since }: Look, late: number): boolean {
    const isOn = states.every((state) => state === "on") && since < time.now() - late;
    return isOn && roles.every((each) => each !== "" && this.roles.split(" ").every((role) => has(each, role)));
  }
}

export class EmployeeLogin extends KnownLogin {
  /** The organization that it named last; "none". */
  readonly last: Possible<string>;
  tokens: EmployeeToken[] = [];

  constructor(name: string, userId: string, refresh: string, last: string) {
    super(name, userId, refresh);
    this.last = new Possible(last);
  }
}

export class Employee extends KnownPerson {
  /** For the account page. */
  readonly desk = new Visitor();
  formToken: string | undefined;
  isBusy = false;
  /** Invitations that were opened once. */
  readonly opened = new Set<string>();
  #count = 0;

  get own(): EmployeeLogin[] {
    return this.logins.filter((login) => login instanceof EmployeeLogin);
  }

  newLoginName(): string {
    this.#count += 1;
    return `${this.name}/${this.#count}`;
  }
}

/** The application with organizations. */
export type Firms = {
  app: TestApp;
  employees: Employee[];
  /** Also those that are gone. */
  organizations: KnownOrganization[];
  resource: string;
  /** The API's own client. */
  books: Program;
};

export async function openFirms(ctx: Context, app: TestApp, chances: Generator): Promise<Firms> {
  const resource = "https://books.example/api";
  const scopes = [{ name: "read", sentence: "Read the books" }];
  await resources.create(
    ctx,
    { appId: app.id, identifier: resource, name: "Books", scopes, accessTokenSeconds: 600 },
    by,
  );
  const secret = `cs_${Buffer.from(chances.bytes(32)).toString("hex")}`;
  const books: Program = { id: "cli_books", redirectUri: "", scopes: ["read"], resource, secret };
  const client: NewClient = { id: books.id, appId: app.id, name: "Books", kind: "machine", resources: [resource] };
  await clients.create(ctx, client, { secret }, by);
  const employees: Employee[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    const employee = new Employee(`employee${number}`, `198.51.100.${10 + number}`, []);
    const input = { appId: app.id, email: employee.email, emailVerified: true, password: passwords[0] };
    employee.userId = (await newUsers.create(ctx, input, { dryRun: false }, by)).id;
    employees.push(employee);
  }
  return { app, employees, organizations: [], resource, books };
}
