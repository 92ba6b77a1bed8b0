import { deleteAccountPage } from "../../src/pages/account/confirm-pages.ts";
import { invitationPage } from "../../src/pages/account/invitation-pages.ts";
import {
  organizationListPage,
  organizationPage,
  type OrganizationData,
} from "../../src/pages/account/organization-page.ts";
import {
  organizationPage as choicePage,
  type OrganizationData as ChoiceData,
} from "../../src/pages/sign-in/organization-pages.ts";
import { all, frameOf, some, type Sample } from "./sample.ts";

const at = Date.UTC(2026, 10, 20, 9, 30);
const when = new Date(at).toISOString();
const place = { appId: "app_acme", token: "token" };

/** What the page of an organization shows; `name`: wherever somebody typed something. */
export function organizationData(name = "Contoso Ltd"): OrganizationData {
  const member = (id: string, email: string, roles: string[], called: string | null = null) => {
    return { id, email, name: called, roles, joinedBy: "invitation", joinedAt: when, disabled: false } as const;
  };
  const invitation = { id: "inv_1", inviterId: "usr_1", createdAt: when, expiresAt: when };
  const claim = { join: "ask", createdAt: when, worksAt: null, checkedAt: when, misses: 0, setupLinkId: null } as const;
  const record = { name: "_authsvc-challenge.contoso.example", value: "authsvc-domain=k3Jr9vQ2mX7tB1nZ8sWc4Y" };
  const event = (action: string, by: string | undefined, about?: string) => ({ action, at, by, about });
  return {
    ...place,
    organization: { id: "org_1", appId: place.appId, name, slug: "contoso" } as OrganizationData["organization"],
    userId: "usr_1",
    rank: "owner",
    roles: ["owner"],
    hasCompanySignIn: true,
    isDeleted: false,
    given: ["owner", "admin", "member", "billing"],
    added: ["billing"],
    members: [
      member("usr_1", "ada@contoso.example", ["owner"], name),
      member("usr_2", "grace.hopper@contoso.example", ["admin", "billing"], "Grace Hopper"),
      member("usr_3", "joan@contoso.example", ["member"]),
    ],
    nextCursor: "usr_3",
    invitations: [{ ...invitation, email: "edsger@contoso.example", roles: ["member"] }],
    domains: [
      { ...claim, domain: "contoso.example", state: "proved", record, provedAt: when, answer: null },
      {
        ...claim,
        domain: "contoso-labs.example",
        state: "pending",
        provedAt: null,
        record: { ...record, name: "_authsvc-challenge.contoso-labs.example" },
        answer: { result: "missing", reason: null, values: ["v=spf1 -all", name], isDoubled: true },
      },
    ],
    activity: [
      event("token.mint", "Support", "joan@contoso.example"),
      event("organization.member.update", name, "Grace Hopper"),
      event("organization.domain.proved", undefined),
      event("organization.create", name),
    ],
    notice: { kind: "done" },
  };
}

const contoso = { id: "org_1", name: "Contoso Ltd", slug: "contoso", domain: "contoso.example" };
const fabrikam = { id: "org_2", name: "Fabrikam and Daughters", slug: "fabrikam", domain: undefined };

/** A choice that offers nothing. */
export const noChoice = {
  choices: [],
  filter: undefined,
  offer: undefined,
  invitations: [],
  mayCreate: false,
  warns: false,
  isLost: false,
  isNeeded: false,
  mayWait: false,
  mayGoWithout: false,
};

function choice(changes: Partial<ChoiceData>): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    choicePage(frameOf(assets), {
      sessionPath,
      token: "token",
      account: "ada@contoso.example",
      ...noChoice,
      ...changes,
    });
}

function invitation(step: Parameters<typeof invitationPage>[1]["step"], warns = false): Sample["page"] {
  return (assets) =>
    invitationPage(frameOf(assets), {
      path: "/",
      token: "token",
      organization: contoso.name,
      place: "contoso · contoso.example",
      email: "ada@contoso.example",
      verifyPath: "/",
      factorPath: "/",
      warns,
      step,
    });
}

function page(changes: Partial<OrganizationData>): Sample["page"] {
  return (assets) => organizationPage(frameOf(assets), { ...organizationData(), ...changes });
}

/** The pages of organizations, those of invitations, and the choice after a sign-in. */
export const organizationSamples: Sample[] = [
  {
    name: "organization-choice",
    variants: all,
    page: choice({ choices: [contoso, fabrikam], invitations: [contoso], warns: true }),
  },
  { name: "organization-invited", variants: all, page: choice({ invitations: [contoso, fabrikam], mayWait: true }) },
  {
    name: "organization-full",
    variants: some,
    page: choice({ invitations: [contoso], mayGoWithout: true, problem: "full" }),
  },
  { name: "organization-offer", variants: some, page: choice({ offer: contoso, mayGoWithout: true }) },
  {
    name: "organization-needed",
    variants: all,
    page: choice({ isNeeded: true, invitations: [fabrikam], offer: contoso, mayCreate: true }),
  },
  { name: "organization-invitation", variants: all, page: invitation("answer") },
  { name: "organization-invitation-second", variants: all, page: invitation("answer", true) },
  { name: "organization-invitation-other", variants: some, page: invitation("other") },
  { name: "organization-invitation-unproven", variants: some, page: invitation("verify") },
  { name: "organization", variants: [...all, "desktop", "narrow"], page: page({}) },
  { name: "organization-refused", variants: some, page: page({ notice: { kind: "refused" } }) },
  ...[
    { act: "name", name: "Contoso Group" },
    { act: "slug", slug: "Contoso!" },
    { act: "policy", secondFactor: "required" },
    { act: "join-domain", domain: "contoso.example", join: "on" },
  ].map(({ act, ...sent }) => {
    const kind = act === "slug" ? "refused" : "changed";
    const notice = { kind, sent: new Map(Object.entries({ act, ...sent })) } as const;
    return { name: `organization-${kind}-${act}`, variants: some, page: page({ notice }) };
  }),
  { name: "organization-member", variants: some, page: page({ rank: "member", roles: ["billing"], activity: [] }) },
  { name: "organization-deleted", variants: some, page: page({ isDeleted: true, activity: [] }) },
  {
    name: "organization-list",
    variants: all,
    page: (assets) =>
      organizationListPage(frameOf(assets), {
        ...place,
        memberships: [{ ...contoso, roles: ["owner"], joinedAt: when }],
        invitations: [{ ...fabrikam, path: "/" }],
        mayCreate: true,
      }),
  },
  {
    name: "account-delete-owner",
    variants: all,
    page: (assets) =>
      deleteAccountPage(frameOf(assets), {
        ...place,
        account: "ada@contoso.example",
        ownerless: [
          { ...contoso, path: "/" },
          { ...fabrikam, path: "/" },
        ],
      }),
  },
];
