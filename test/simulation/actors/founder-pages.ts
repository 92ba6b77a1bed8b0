/** What pages say of an organization: the console's, the list there, and the founder's own. */
import { decoded, type Page } from "../../support/person.ts";
import { sameText } from "../firm-answers.ts";
import type { Claim, Firm } from "../firm.ts";
import type { Manager } from "./founder-manager.ts";

const words: Record<string, string> = {
  pending: "not proved yet",
  waiting: "held by another",
  proved: "proved",
  lapsed: "lost",
};

const textIn = (html: string): string =>
  decoded(html.replaceAll(/<[^>]*>/gu, " "))
    .replaceAll(/\s+/gu, " ")
    .trim();

/** The cells below these headings, of the table with this caption. */
function rowsOf({ text }: Page, caption: string, headings: readonly string[]): string[][] {
  const found = text.split("<table>").find((each) => textIn(each.split("</caption>")[0] ?? "") === caption);
  const rows = (found?.split("</table>")[0] ?? "").split("<tr").filter((row) => row.includes("data-heading"));
  return rows.map((row) =>
    headings.map((heading) => {
      const cell = new RegExp(`data-heading="${heading}"><div class="cell">([^]*?)</div></td>`, "u").exec(row);
      return textIn(cell?.[1] ?? "");
    }),
  );
}

function mustBe({ me }: Manager, firm: Firm, what: string, is: string[][], should: string[][]): void {
  const [shown, known] = [is, should].map((rows) => rows.map((row) => JSON.stringify(row)).toSorted());
  me.must("O4", sameText(shown, known), `${what} of ${firm.name}: ${String(shown)} instead of ${String(known)}`);
}

function stateOf(firm: Firm): string {
  if (firm.deletesAt !== null) return "being deleted";
  if (firm.isDisabled) return "disabled";
  return firm.owners().length > 0 ? "active" : "no owner";
}

/** O4: tables and buttons of the page that operators see. */
export async function checkConsole(manager: Manager): Promise<void> {
  const { own, me, hand, people } = manager;
  if (own.isGone) return;
  const path = `/applications/${me.app.id}/organizations`;
  const page = await hand.open(`${path}/${own.id}`);
  me.must("O4", page.status === 200, `no page of ${own.name}: ${page.status}`);
  const nameOf = (id: string | null): string => {
    const person = people.get(id ?? "");
    return person ? (person.name ?? person.email) : "the application";
  };
  const compare = (caption: string, headings: string[], should: string[][]): void =>
    mustBe(manager, own, caption, rowsOf(page, caption, headings), should);
  compare(
    "Members",
    ["Name", "Address", "Roles", "Joined by"],
    [...own.members].map(([id, { roles, joinedBy }]) => {
      const { email = "", name, isDisabled } = people.get(id) ?? {};
      return [nameOf(id), name ? email : "", `${roles.join(", ")}${isDisabled ? " disabled" : ""}`, joinedBy];
    }),
  );
  compare(
    "Open invitations",
    ["Address", "Roles", "By"],
    own.invitations.map(({ email, roles, inviterId }) => [email, roles.join(", "), nameOf(inviterId)]),
  );
  const said = ({ state, misses }: Claim): string => `${words[state]}${misses > 0 ? " record missing" : ""}`;
  compare(
    "Domains",
    ["Domain", "State", "Joining"],
    [...own.domains.values()].map((claim) => [claim.domain, said(claim), claim.join]),
  );
  const open = own.setupLinks.filter(({ isOver }) => !isOver);
  compare(
    "Set-up links",
    ["Mailed to", "By"],
    open.map(({ email, makerId }) => [email, nameOf(makerId)]),
  );
  const has = (form: string): boolean => page.text.includes(`${own.id}/${form}"`);
  const forms: [string, boolean][] = [
    ["disable", !own.isDisabled],
    ["enable", own.isDisabled],
    ["provider/confirm", own.waiting !== undefined],
    ["provider/relinks", own.provider !== undefined],
    ["provider/remove", (own.provider ?? own.waiting) !== undefined],
    ...[...own.domains.values()].map(({ domain, isVouched, state }): [string, boolean] => [
      `domains/${domain}/vouch`,
      !isVouched && state !== "waiting",
    ]),
  ];
  for (const [form, is] of forms) me.must("O4", has(form) === is, `the page ${is ? "lacks" : "has"} ${form}`);
  const claimed = [...own.domains.values()];
  const q = me.chances.pick([
    own.name,
    own.slug,
    own.slug.slice(1, -1),
    own.id,
    ...claimed.map(({ domain }) => domain),
  ]);
  const state = me.chances.pick(["", "active", "disabled", "deleted", "ownerless"]);
  const list = await hand.open(`${path}?${new URLSearchParams({ q, state }).toString()}`);
  const listed = rowsOf(list, "Organizations, newest first", ["Name", "Slug", "Members", "Owners", "State"]);
  const is = stateOf(own);
  const fits = { active: "active", disabled: "disabled", deleted: "being deleted", ownerless: "no owner" };
  const row = [own.name, own.slug, String(own.members.size), String(own.owners().length), is];
  const isFound = state === "" || fits[state as keyof typeof fits] === is;
  mustBe(
    manager,
    own,
    `the list of ${q} ${state}`,
    listed.filter(([, slug]) => slug === own.slug),
    isFound ? [row] : [],
  );
  me.world.reached("an organization's page at the console compared");
}

/** O8: who manages sees everybody, a plain member nobody, and others no page. */
export async function checkOwnPage(manager: Manager): Promise<void> {
  const { own, me, people } = manager;
  if (people.get(me.userId)?.isDisabled !== false) return;
  await me.at();
  const page = await me.desk.get(`${me.world.service.url}/organization?app_id=${me.app.id}&organization=${own.id}`);
  const roles = own.rolesOf(me.userId);
  const rank = own.rankOf({ kind: "page" });
  const isKept = own.deletesAt !== null && roles.includes("owner") && !own.isGone;
  const isShown = rank !== undefined || isKept;
  me.must("O8", (page.status === 200) === isShown, `the page of ${own.name} for ${rank ?? "nobody"}: ${page.status}`);
  if (!isShown) return;
  const manages = rank === "owner" || rank === "admin";
  const text = decoded(page.text);
  const wanted: [string, boolean][] = [
    ...[...people.values()]
      .filter(({ id }) => id !== me.userId && !own.invitations.some(({ email }) => email === people.get(id)?.email))
      .map(({ id, email }): [string, boolean] => [email, manages && own.members.has(id)]),
    ...own.invitations.map(({ email }): [string, boolean] => [email, manages]),
    ...[...own.domains.keys()].map((domain): [string, boolean] => [`>${domain}<`, manages]),
    ['value="delete"', rank === "owner"],
    ['value="restore"', isKept],
    ['value="policy"', rank === "owner"],
    ['value="name"', manages],
  ];
  for (const [part, is] of wanted)
    me.must(
      is ? "O4" : "O8",
      text.includes(part) === is,
      `the page for ${rank ?? "an owner"} ${is ? "lacks" : "has"} ${part}`,
    );
  me.world.reached("an organization's own page compared");
}
