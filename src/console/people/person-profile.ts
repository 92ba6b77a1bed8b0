/** A person's profile and metadata. */
import { hasProfileFields, type Application } from "../../applications/application.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { factsOn, flagOf, labelsOf, profileFacts, type FactOn } from "../../lib/profile-facts.ts";
import { enteredAddress } from "../../lib/stored-picture.ts";
import { escapeUnseen, listInWords } from "../../lib/text.ts";
import type { Metadata } from "../../storage/column-types.ts";
import { browserWords } from "../parts/browser-words.ts";
import { amount, facts, instant, instantOrNever, part, shortId, shown, state } from "../parts/data.ts";
import { actMenu } from "../parts/act-list.ts";
import type { PersonChange } from "../../people/changes.ts";
import { labelIn, shownProfile, textOfValue, valueFromText } from "../../users/profile-fields.ts";
import { isPending, type User } from "../../users/user.ts";
import type { Edit } from "../parts/edit.ts";
import { presentValue, sentBack, wasField } from "../parts/fields.ts";
import type { Entered } from "../parts/refusal.ts";
import { pictureForms, portrait } from "../parts/picture-form.ts";
import type { FormOf } from "./person-forms.ts";
import type { Person } from "./person.ts";

const profile = factsOn("operator");
const pictureActs = { save: "changePicture", remove: "removePicture", undo: "undoPicture" } as const;

export const profileSettings = profile.map((fact): Edit<User, PersonChange> => ({
  name: fact,
  label: profileFacts[fact].label,
  // The field is empty for an uploaded picture: it shows only an entered address.
  of: (user) => enteredAddress(user[fact]) ?? "",
  change: (value) => ({ [fact]: value === "" ? null : value }),
}));

/** The application's own fields. */
export function fieldSettings({ settings }: Application): Edit<User, PersonChange>[] {
  return (settings.profileFields ?? []).map((field) => ({
    name: `field.${field.name}`,
    label: labelIn(field.label, "en"),
    of: ({ profile }) => textOfValue(shownProfile([field], profile)?.[field.name]),
    change: (value) => ({ profile: { [field.name]: valueFromText(field, value) } }),
  }));
}

export function profilePart({ user, application, picture, terms }: Person, form: FormOf): Html {
  const { id, email, emailVerified, lastLoginAt, loginCount, lastIpAddress, lastUserAgent } = user;
  const verified = emailVerified ? state("verified", "good") : state("not verified");
  const content = facts([
    ["Address", email === null ? "none" : html`${shown(email)} ${verified}`],
    ...profile.map((fact): [string, HtmlValue] => {
      const value = user[fact];
      const none = fact === "name" ? "none" : undefined;
      return [profileFacts[fact].label, value === null ? none : (portrait(value) ?? shown(value))];
    }),
    ...fieldSettings(application).map(({ label, of }): [string, HtmlValue] => {
      const value = of(user);
      return [label, value === "" ? "none" : shown(value)];
    }),
    ...terms.map(({ version, accepted, at }): [string, HtmlValue] => [
      "Terms",
      html`${shown(version)} ${accepted ? "accepted" : "declined"} ${instant(Date.parse(at))}`,
    ]),
    ["User ID", shortId(id)],
    ["Application", html`<a href="/console/applications/${application.id}">${shown(application.name)}</a>`],
    ["Last sign-in", instantOrNever(lastLoginAt)],
    ["Sign-ins", amount(loginCount)],
    ["Last browser", lastUserAgent === null ? undefined : browserWords(lastUserAgent)],
    ["Last IP address", lastIpAddress === null ? undefined : shown(lastIpAddress)],
    ["Language", user.locale === null ? undefined : shown(user.locale)],
    ["Created", instant(user.createdAt)],
    ["Changed", instant(user.updatedAt)],
    [isPending(user) ? "Waits since" : "Disabled", user.disabledAt === null ? undefined : instant(user.disabledAt)],
  ]);
  const acts = [
    form("changeProfile", {
      label: `Change ${listInWords(labelsOf(profile), "or")}`,
      about: "An empty field removes the value. The application's server is notified.",
      fields: (entered) => html`${profileSettings.map((setting) => profileField(user, setting, entered))}`,
      command: [
        "user",
        "update",
        id,
        ...profile.flatMap((fact) => [flagOf(fact), profileFacts[fact].flag.value.toUpperCase()]),
      ],
    }),
    hasProfileFields(application)
      ? form("changeFields", {
          label: "Change the profile fields",
          about:
            "An empty field removes the value. A checkbox is true or false. The application's server is notified, and claims may be made of them.",
          fields: (entered) =>
            html`${fieldSettings(application).map((setting) => plainField(setting, setting.of(user), entered))}`,
          command: ["user", "update", id, "--field", "NAME=VALUE"],
        })
      : undefined,
    ...pictureForms((act, fields) => form(pictureActs[act], fields), {
      word: "picture",
      present: user.picture,
      shown: picture,
      command: ["user", "update", id, "--picture-file"],
      removeCommand: ["user", "update", id, "--picture", ""],
    }),
    form("changeAddress", {
      label: "Change the address",
      about:
        "Make sure first that the new address is theirs. The old one gets a mail, every link and code that was mailed before ends, and logins stay.",
      fields: (entered) =>
        html`${wasField("email", email ?? "")}<label
            >New address<input
              name="email"
              type="email"
              required
              value="${entered("email")}"
              autocomplete="off" /></label
          ><label
            ><input type="checkbox" name="verified" value="on" ${entered("verified") === "on" && html`checked`} />Mark
            it as verified</label
          >`,
      command: ["user", "update", id, "--email", "EMAIL", "--verified"],
    }),
    email !== null && !emailVerified
      ? form("verifyAddress", {
          label: "Mark the address as verified",
          about:
            "Only if you know that it is theirs: a provider with the same verified address then opens this account.",
          fields: () => wasField("email", email),
          command: ["user", "update", id, "--verified"],
        })
      : undefined,
    emailVerified
      ? form("unverifyAddress", {
          label: "Mark the address as not verified",
          about: "Nobody is signed out.",
          command: ["user", "update", id, "--unverified"],
        })
      : undefined,
  ];
  return part("Profile", content, actMenu(acts));
}

function profileField(user: User, setting: (typeof profileSettings)[number], entered: Entered): Html {
  const { input, ...row } = profileFacts[setting.name as FactOn<"operator">];
  return plainField(setting, setting.of(user), entered, "format" in row ? input.about : undefined);
}

/** `url`: it is an address, with this hint. */
function plainField(setting: Edit<User, PersonChange>, present: string, entered: Entered, url?: string): Html {
  const { name: fact, label } = setting;
  const form = { values: { [fact]: entered(fact, present) }, was: { [fact]: entered(`was.${fact}`, present) } };
  const { value, isContested } = sentBack(setting, { [fact]: present }, form);
  return html`${wasField(fact, present)}<label
      >${label} ${url !== undefined && html`<span class="hint">${url}</span>`}<input
        name="${fact}"
        ${url !== undefined && html`inputmode="url"`}
        value="${value}"
        autocomplete="off"
    /></label>
    ${isContested && presentValue(setting, present)}`;
}

export function metadataPart({ user }: Person, form: FormOf): Html {
  const { id, publicMetadata, privateMetadata } = user;
  return part(
    "Metadata",
    html`<h3>Public <span class="hint">The person may read it</span></h3>
      ${json(publicMetadata)}
      <h3>Private <span class="hint">Only servers and operators read it</span></h3>
      ${json(privateMetadata)}`,
    actMenu([
      form("changePublic", {
        label: "Change public metadata",
        about: "Sets the given keys; null as a value removes a key. null instead of an object removes all keys.",
        fields: (entered) => patchField(entered("patch"), publicMetadata),
        command: ["user", "metadata", id, "--public", "JSON"],
      }),
      form("changePrivate", {
        label: "Change private metadata",
        about: "Sets the given keys; null as a value removes a key. null instead of an object removes all keys.",
        fields: (entered) => patchField(entered("patch"), privateMetadata),
        command: ["user", "metadata", id, "--private", "JSON"],
      }),
    ]),
  );
}

function json(metadata: Metadata | null): Html {
  if (metadata === null) return html`<p class="none">Nothing.</p>`;
  return html`<pre tabindex="0"><bdi>${escapeUnseen(JSON.stringify(metadata, null, 2), "\n")}</bdi></pre>`;
}

function patchField(text: string, metadata: Metadata | null): Html {
  // A line break after the tag is not part of the value.
  return html`${wasField("metadata", JSON.stringify(metadata ?? {}))}<label
      >Changes <span class="hint">JSON, such as {"plan": "pro", "trial": null}</span
      ><textarea name="patch" rows="4" required spellcheck="false">${text}</textarea>
    </label>`;
}
