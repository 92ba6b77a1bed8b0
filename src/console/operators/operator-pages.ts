/** The operators themselves: only in the team's console, and only for owners. */
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { amongNetworks } from "../../lib/networks.ts";
import { operatorRoles, type OperatorRole } from "../../storage/column-types.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm, checkButton, type ActButton } from "../parts/act-form.ts";
import { actColumn, type PageActs } from "../parts/act-list.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { confirmationField, demandConfirmation, type Named } from "../parts/confirmation.ts";
import { facts, instant, instantOrNever, part, problem, shown, state } from "../parts/data.ts";
import { mailedNotice } from "../mail/mailed.ts";
import { consolePage } from "../parts/frame.ts";
import { changeOnto, edited, valuesOf, type Edit, type Edited } from "../parts/edit.ts";
import { openFieldForm, wasField } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, pathOf, view, type Post, type Visit } from "../route.ts";
import * as operators from "../../operators/service.ts";
import type { OperatorAnswer, OperatorInviteAnswer } from "../../operators/service.ts";

const section = "Team";
const home = { path: "/console/operators", label: section };
const isGlobal = true;

const meanings: Record<OperatorRole, string> = {
  viewer: "sees",
  support: "helps people",
  owner: "does everything",
};

const roleSettings: Edit<{ role: string }, { role: string }>[] = [
  { name: "role", label: "Role", of: ({ role }) => role, change: (role) => ({ role }) },
];

const networkSettings: Edit<readonly string[], { allowed?: string[] }>[] = [
  {
    name: "networks",
    label: "Networks",
    hint: "One per line, such as 10.0.0.0/8; empty: from anywhere",
    kind: "lines",
    of: (networks) => networks.join("\n"),
    change: (value) => ({ allowed: value.split(/\s+/u).filter((network) => network !== "") }),
  },
];
const explanations: Record<OperatorRole, string> = {
  viewer: "Sees people, applications and the audit log. Changes nothing, and sees no secret.",
  support:
    "Also helps people: invites and unblocks them, sends reset links, ends logins, removes methods, sends events again.",
  owner: "Also changes applications, clients, keys, groups and operators, and deletes people.",
};

const states: Record<OperatorAnswer["state"], Html> = {
  active: state("active", "good"),
  invited: state("invited"),
  expired: state("invitation expired", "bad"),
  disabled: state("disabled", "bad"),
};

/** The user of `authsvc console` has the commands instead. Throws UNKNOWN_PATH. */
function refuseOutsideOfTeams({ entry }: Visit): void {
  if (!entry.isTeam) throw new AppError("UNKNOWN_PATH", "Operators are managed in the team's console.");
}

export const all = view(
  "/operators",
  "owner",
  async (ctx, visit) => (visit.entry.isTeam ? await listPage(ctx, visit) : await localPage(ctx, visit)),
  { isGlobal },
);

/** In `authsvc console`: how a team gets its console, or where it is. */
async function localPage(ctx: Context, visit: Visit): Promise<Answer> {
  const { console: team } = ctx.config;
  return await consolePage(ctx, visit, {
    title: section,
    section,
    body: team
      ? part(
          "The team's console",
          html`<p>
              Operators sign in at <a href="${team.baseUrl}">${team.baseUrl}</a>. Owners invite and remove them there.
            </p>
            ${commandLine(["operator", "list"])}`,
        )
      : part(
          "Work as a team",
          html`<p>
              Operators with their own passkey and role get this console at an address of its own, behind your VPN or
              proxy. Set these two lines in the configuration, and start the service again:
            </p>
            <pre>
console:
  listen: 127.0.0.1:9470
  baseUrl: https://console.internal.example.com</pre>
            <p>Then invite the first operator:</p>
            ${commandLine(["operator", "invite", "--email", "EMAIL", "--role", "owner"])}`,
        ),
  });
}

type Draft = { email: string; role: string; name: string };

/** What an act adds to the page that follows it. */
type Added = {
  refusal?: Refusal | undefined;
  draft?: Draft;
  planned?: OperatorInviteAnswer | undefined;
  networks?: Edited;
};

async function listPage(ctx: Context, visit: Visit, added: Added = {}): Promise<Answer> {
  refuseOutsideOfTeams(visit);
  const { refusal, draft, planned, networks: form } = added;
  const [listed, networks] = [await operators.list(ctx), await operators.networks(ctx)];
  const { email, role, name }: Draft = draft ?? { email: "", role: "viewer", name: "" };
  const words = planned ? [planned.email ?? email, planned.role] : ["EMAIL", "ROLE"];
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refusal?.status ?? 200,
    acts: {
      primary: actForm(visit, invite, {
        label: "Invite",
        title: "Invite an operator",
        beside: checkButton,
        about: "Creates a link to create a passkey. It works once, for 7 days.",
        isOpen: draft !== undefined,
        command: ["operator", "invite", "--email", words[0] ?? "", "--role", words[1] ?? ""],
        fields: html`${planned && html`<p class="notice" role="status">This address can be invited.</p>`}
          ${draft && refusal && problem(refusal.text)}
          <label>Email <input name="email" type="email" value="${email}" required autocomplete="off" /></label>
          <label>Name <input name="name" value="${name}" autocomplete="off" /></label>
          ${roleChoice(role)}
          <label><input type="checkbox" name="link" /> Show the link here instead of mailing it</label>`,
      }),
    },
    body: html`${!draft && !form && refusal && problem(refusal.text)}
      <section class="part">
        ${table(
          "Operators, oldest first",
          listed,
          [
            {
              heading: "Operator",
              cell: (operator) => html`<a href="${pathOf(one, { id: operator.id })}">${shown(nameOf(operator))}</a>`,
            },
            {
              heading: "Role",
              cell: (operator) =>
                html`${operator.role}${isSelf(visit, operator) && " (you)"}
                  <span class="quiet">${meanings[operator.role]}</span>`,
            },
            {
              heading: "State",
              cell: ({ state: word, invitedUntil }) =>
                html`${states[word]}${invitedUntil !== null && html`, expires ${instant(invitedUntil)}`}`,
            },
            { heading: "Last seen", fit: "time", cell: ({ lastSeenAt }) => instantOrNever(lastSeenAt) },
            { heading: "Added", fit: "time", leaves: 1, cell: ({ createdAt }) => instant(createdAt) },
            ...actColumn(listed, (operator) => invitationActs(visit, operator)),
          ],
          "There are no operators yet.",
        )}
        ${commandLine(["operator", "list"])}
      </section>
      ${part("Roles", facts(operatorRoles.map((each) => [each, explanations[each]])))}
      ${part(
        "Networks",
        html`<p>
            ${networks.length === 0 ? "Operators may come from anywhere." : "Operators may come only from these networks."}
            You come from <code>${visit.request.ipAddress}</code>.
          </p>
          ${openFieldForm(visit, setNetworks, {
            label: "Set the networks",
            about: "Other addresses get no response, signed in or not. You can always change this with a command.",
            command: ["operator", "networks", ...(networks.length === 0 ? ["--any"] : ["--allow", ...networks])],
            fields: networkSettings,
            values: valuesOf(networkSettings, networks),
            answered: form && refusal && { ...form, refusal: { field: undefined, text: refusal.text } },
          })}`,
      )}`,
  });
}

function roleChoice(chosen: string): Html {
  const choice = (role: OperatorRole): Html =>
    html`<label
      ><input type="radio" name="role" value="${role}" ${role === chosen && html`checked`} /> ${role}
      <span class="quiet">${meanings[role]}</span></label
    >`;
  return html`<fieldset>
    <legend>Role</legend>
    ${operatorRoles.map(choice)}
  </fieldset>`;
}

/** For somebody who has no passkey yet. */
function invitationActs(visit: Visit, { id, email, role, state: word }: OperatorAnswer): (ActButton | undefined)[] {
  if (word !== "invited" && word !== "expired") return [];
  return [
    actForm(visit, inviteAgain, {
      parameters: { id },
      label: "Send again",
      title: "Send the invitation again",
      about: "They get a new link to create a passkey, or you see it if no mail can be sent. The earlier one ends.",
      command: ["operator", "invite", "--email", email ?? id, "--role", role],
    }),
    actForm(visit, withdraw, {
      parameters: { id },
      label: "Withdraw",
      title: "Withdraw the invitation",
      about: "Their link stops working, and they are no longer an operator.",
      command: ["operator", "invite", "--withdraw", email ?? id],
      isGrave: true,
    }),
  ];
}

function nameOf({ id, email, name }: OperatorAnswer): string {
  return name === null ? (email ?? id) : `${name}, ${email ?? id}`;
}

function isSelf({ operator: { actor } }: Visit, { id }: OperatorAnswer): boolean {
  return actor.kind === "operator" && actor.name === id;
}

export const invite = act(
  "/operators",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const { form, by } = post;
    const draft = { email: form.get("email") ?? "", role: form.get("role") ?? "", name: form.get("name") ?? "" };
    const dryRun = form.has("check");
    const input = { ...draft, name: draft.name === "" ? null : draft.name };
    const made = await attempt(async () => await operators.invite(ctx, input, { link: form.has("link"), dryRun }, by));
    if (made.refusal || dryRun) return await listPage(ctx, post, { refusal: made.refusal, draft, planned: made.value });
    return await invited(ctx, post, made.value);
  },
  { isGlobal },
);

/** The mail is on its way, or the link is shown, once. */
async function invited(ctx: Context, post: Post, made: OperatorInviteAnswer): Promise<Answer> {
  const { link, email, role, expiresAt } = made;
  if (link === null) {
    const mailed = await mailedNotice(ctx, post, "The invitation");
    return done(ctx, post, home.path, `${mailed} Its link works once, for 7 days.`);
  }
  return await consolePage(ctx, post, {
    title: "The link to invite them",
    section,
    trail: [home],
    body: part(
      "Give it to nobody else",
      html`<p>
          Anybody who has it becomes the operator ${shown(email ?? "")} with the role ${role}. It works once, and
          expires ${instant(expiresAt)}. It is shown only now.
        </p>
        ${copyable(link)}`,
    ),
  });
}

export const inviteAgain = act(
  "/operators/:id/invite",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const id = post.request.parameter("id");
    const made = await attempt(async () => await operators.invite(ctx, { id }, {}, post.by));
    return made.refusal ? await listPage(ctx, post, { refusal: made.refusal }) : await invited(ctx, post, made.value);
  },
  { isGlobal },
);

export const withdraw = act(
  "/operators/:id/withdraw",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const gone = await attempt(async () => await operators.withdraw(ctx, post.request.parameter("id"), {}, post.by));
    if (gone.refusal) return await listPage(ctx, post, { refusal: gone.refusal });
    return done(ctx, post, home.path, "The invitation was withdrawn.");
  },
  { isGlobal },
);

export const setNetworks = act(
  "/operators/networks",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const form = edited(networkSettings, post);
    const set = await attempt(async () => {
      const change = changeOnto(networkSettings, form);
      const wanted = (present: string[]) => change(present).allowed ?? present;
      const allowed = await operators.setNetworks(ctx, wanted, { dryRun: true }, post.by);
      if (allowed.length > 0 && !amongNetworks(allowed)(post.request.ipAddress))
        throw new AppError("CONFLICT", "This would lock you out: your address is in none of these networks.");
      return await operators.setNetworks(ctx, wanted, {}, post.by);
    });
    if (set.refusal) return await listPage(ctx, post, { refusal: set.refusal, networks: form });
    return done(ctx, post, home.path, "The networks were set.");
  },
  { isGlobal },
);

export const one = view("/operators/:id", "owner", async (ctx, visit) => await onePage(ctx, visit), { isGlobal });

async function onePage(ctx: Context, visit: Visit, refusal?: Refusal): Promise<Answer> {
  refuseOutsideOfTeams(visit);
  const operator = await operators.get(ctx, visit.request.parameter("id"));
  const { id, role, state: word, invitedUntil, createdAt, lastLoginAt, lastSeenAt } = operator;
  return consolePage(ctx, visit, {
    title: escapeUnseen(nameOf(operator)),
    section,
    trail: [home],
    status: refusal?.status ?? 200,
    ...(!isSelf(visit, operator) && { acts: actsOn(visit, operator) }),
    body: html`${refusal && problem(refusal.text)}
      <section class="part">
        ${facts([
          ["Role", html`${role} <span class="quiet">${explanations[role]}</span>`],
          ["State", states[word]],
          ["Invitation expires", invitedUntil === null ? undefined : instant(invitedUntil)],
          ["Last seen", instantOrNever(lastSeenAt)],
          ["Last sign-in", instantOrNever(lastLoginAt)],
          ["Added", instant(createdAt)],
          ["ID", html`<code>${id}</code>`],
          ["What they did", html`<a href="/console/audit?actor=operator:${id}">in the audit log</a>`],
        ])}
        ${isSelf(visit, operator) && html`<p class="hint">This is you. You cannot change your own role or remove yourself; another owner can.</p>`}
      </section>`,
  });
}

function actsOn(visit: Visit, operator: OperatorAnswer): PageActs {
  const { id, email, role } = operator;
  const named = email ?? id;
  const roles = operatorRoles
    .filter((each) => each !== role)
    .map((each) =>
      actForm(visit, update, {
        parameters: { id },
        label: `Make this operator ${each}`,
        about: `From the next page on, this operator ${meanings[each]}.`,
        fields: html`${wasField("role", role)}<input type="hidden" name="role" value="${each}" />`,
        command: ["operator", "update", named, "--role", each],
      }),
    );
  const removal = actForm(visit, remove, {
    parameters: { id },
    label: "Remove",
    title: "Remove this operator",
    about: "Removes this operator and their passkeys, and ends their sessions at once.",
    fields: confirmationField(namedBy(operator), ""),
    isGrave: true,
    command: ["operator", "remove", named],
  });
  const [primary, ...invitation] = invitationActs(visit, operator);
  return { primary, more: [...roles, ...(invitation.length > 0 ? invitation : [removal])] };
}

function namedBy({ id, email, name }: OperatorAnswer): Named {
  return { id, names: [email, name] };
}

export const update = act(
  "/operators/:id/role",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const id = post.request.parameter("id");
    const changed = await attempt(
      async () => await operators.update(ctx, id, changeOnto(roleSettings, edited(roleSettings, post)), {}, post.by),
    );
    if (changed.refusal) return await onePage(ctx, post, changed.refusal);
    return done(ctx, post, pathOf(one, { id }), "The role was changed.");
  },
  { isGlobal },
);

export const remove = act(
  "/operators/:id/remove",
  "owner",
  "passkey",
  async (ctx, post) => {
    refuseOutsideOfTeams(post);
    const id = post.request.parameter("id");
    const removed = await attempt(async () => {
      await operators.remove(ctx, id, { dryRun: true }, post.by);
      demandConfirmation(post, namedBy(await operators.get(ctx, id)));
      await operators.remove(ctx, id, {}, post.by);
    });
    if (removed.refusal) return await onePage(ctx, post, removed.refusal);
    return done(ctx, post, home.path, "The operator was removed.");
  },
  { isGlobal },
);
