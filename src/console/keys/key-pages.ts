import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import * as signingKeyRevocation from "../../sessions/signing-key-revocation.ts";
import type { SigningKeyAnswer } from "../../tokens/signing-key-answer.ts";
import * as signingKeys from "../../tokens/signing-keys.ts";
import { actForm, isAllowed, openForm } from "../parts/act-form.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { amount, facts, instant, part, problem, shortId, state } from "../parts/data.ts";
import { changesPart } from "../audit/changes-part.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { act, pathOf, view, type Visit } from "../route.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import { livesOf, timeBar, type KeyLife } from "./time-bar.ts";
import { table } from "../parts/table.ts";

const section = "Keys";
const home = { path: "/console/keys", label: section };
const isGlobal = true;

const words = { next: "published, signs later", signing: "signs", retired: "published, signs no more" };

export const all = view("/keys", "viewer", async (ctx, visit) => await listPage(ctx, visit), { isGlobal });

async function listPage(ctx: Context, visit: Visit, refusal?: Refusal): Promise<Answer> {
  const keys = await signingKeys.list(ctx);
  const lives = livesOf(keys);
  const rows = keys.map((key, position) => ({ ...key, life: lives[position] }));
  return consolePage(ctx, visit, {
    title: "Signing keys",
    section,
    status: refusal?.status ?? 200,
    acts: {
      primary: actForm(visit, rotate, {
        label: "Rotate",
        about:
          "Publishes the next key of every algorithm in use now. It signs a day later, when every server knows it: no token is rejected.",
        command: ["signing-key", "rotate"],
      }),
      more: [
        actForm(visit, rotate, {
          label: "Rotate, and sign at once",
          about: "The next key signs now. Servers that cache the key set must fetch it again for an unknown key.",
          fields: html`<input type="hidden" name="now" value="on" />`,
          command: ["signing-key", "rotate", "--now"],
        }),
      ],
    },
    body: html`${refusal && problem(refusal.text)}
      <section class="part">
        ${
          keys.length > 0 &&
          html`<div class="scroll" role="region" aria-label="Time bar" tabindex="0">${timeBar(lives, ctx.clock())}</div>
            ${legend}`
        }
        ${table(
          "Signing keys of each algorithm, oldest first",
          rows,
          [
            {
              heading: "Key ID (kid)",
              cell: ({ kid }) => html`<a href="${pathOf(one, { kid })}">${shortId(kid, { copies: false })}</a>`,
            },
            { heading: "Algorithm", cell: ({ algorithm }) => algorithm },
            { heading: "State", cell: keyState },
            { heading: "Created", fit: "time", leaves: 1, cell: ({ createdAt }) => instant(createdAt) },
            { heading: "Signs from", fit: "time", leaves: 3, cell: ({ signsFrom }) => instant(signsFrom) },
            { heading: "Signs until", fit: "time", leaves: 2, cell: ({ life }) => signsUntil(life) },
            {
              heading: "Withdrawn",
              fit: "time",
              leaves: 1,
              cell: ({ publishedUntil }) => publishedUntil !== null && instant(publishedUntil),
            },
          ],
          "There are no signing keys yet. The service creates the first one.",
        )}
        <p class="hint">Keys rotate automatically every 30 days.</p>
        ${commandLine(["signing-key", "list"])}
      </section>`,
  });
}

const legend = html`<p class="hint">
  Thick: signs. Thin: published, so that tokens it signed, or will sign, are accepted. In UTC.
</p>`;

function keyState({ state: is }: SigningKeyAnswer): Html {
  return state(words[is], is === "signing" ? "good" : "quiet");
}

function signsUntil(life: KeyLife | undefined): Html | string {
  return life?.signsUntil === undefined ? "its successor does" : instant(life.signsUntil);
}

export const one = view("/keys/:kid", "viewer", async (ctx, visit) => await onePage(ctx, visit), { isGlobal });

async function onePage(
  ctx: Context,
  visit: Visit,
  { refusal, planned }: { refusal?: Refusal; planned?: signingKeyRevocation.RevocationPlan } = {},
): Promise<Answer> {
  const kid = visit.request.parameter("kid");
  const key = (await signingKeys.list(ctx)).find((each) => each.kid === kid);
  if (!key) throw new AppError("KEY_NOT_FOUND", "There is no signing key with this id.");
  const { algorithm, createdAt, signsFrom, publishedUntil } = key;
  return consolePage(ctx, visit, {
    title: "Signing key",
    section,
    trail: [home],
    status: refusal?.status ?? 200,
    body: html`${refusal && problem(refusal.text)}
      <div class="columns">
        <section class="part">
          ${facts([
            ["State", keyState(key)],
            ["Algorithm", algorithm],
            ["Created", instant(createdAt)],
            ["Signs from", instant(signsFrom)],
            ["Withdrawn", publishedUntil === null ? undefined : instant(publishedUntil)],
            ["Key ID (kid)", copyable(kid)],
          ])}
        </section>
        ${isAllowed(visit, revoke) && revokePart(visit, kid, planned)}
      </div>
      ${await changesPart(ctx, visit, kid)}`,
  });
}

/** `planned`: counted only on request, because that reads every login. */
function revokePart(visit: Visit, kid: string, planned: signingKeyRevocation.RevocationPlan | undefined): Html {
  return part(
    "If it was stolen",
    html`${
      planned &&
      html`<div role="status">
        ${facts([
          ["Logins that must refresh their access token", amount(planned.logins)],
          ["Minted tokens that become invalid", amount(planned.mintedTokens)],
        ])}
      </div>`
    }
    ${openForm(visit, revoke, {
      parameters: { kid },
      label: "Revoke",
      about:
        "Withdraws the key and refuses its tokens at once. Servers that verify tokens themselves accept them until they fetch the key set again, within 10 minutes.",
      fields: html`<label
        ><input type="checkbox" name="check" /> Only count the logins and tokens that this concerns</label
      >`,
      isGrave: true,
      command: ["signing-key", "revoke", kid],
    })}`,
  );
}

export const rotate = act(
  "/keys/rotate",
  "owner",
  "nothing",
  async (ctx, post) => {
    const options = { atOnce: post.form.get("now") === "on", dryRun: false };
    const rotated = await attempt(async () => await signingKeys.rotateByCommand(ctx, options, post.by));
    if (rotated.refusal) return await listPage(ctx, post, rotated.refusal);
    return done(ctx, post, home.path, options.atOnce ? "New keys sign now." : "The next keys are published.");
  },
  { isGlobal },
);

export const revoke = act(
  "/keys/:kid/revoke",
  "owner",
  "nothing",
  async (ctx, post) => {
    const kid = post.request.parameter("kid");
    if (post.form.has("check")) return await onePage(ctx, post, { planned: await signingKeyRevocation.plan(ctx, kid) });
    const revoked = await attempt(async () => await signingKeys.revoke(ctx, kid, post.by));
    if (revoked.refusal) return await onePage(ctx, post, { refusal: revoked.refusal });
    const { replacement } = revoked.value;
    return done(ctx, post, home.path, `The key was revoked.${replacement === null ? "" : " Another one signs now."}`);
  },
  { isGlobal },
);
