import { html, type Html } from "../../lib/html.ts";
import { pageEnd, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";

/** Solves a puzzle and sends the form again by itself. `kept`: the sealed text that was typed. */
export function puzzlePage(
  frame: Frame,
  data: {
    sessionPath: string;
    token: string;
    kept: string;
    passkeys: boolean;
    /** Whether mail can be sent. */
    mails: boolean;
    puzzle: { challenge: string; most: number };
  },
): Html {
  const { texts } = frame;
  const { sessionPath, token, kept, mails, passkeys, puzzle } = data;
  const body = html`<h1>${texts.puzzleTitle}</h1>
    <p>${texts.puzzleWhy}</p>
    <form method="post" action="${sessionPath}/password" data-puzzle="${puzzle.most}" hidden>
      ${tokenField(token)} <input type="hidden" name="kept" value="${kept}" />
      <input type="hidden" name="challenge" value="${puzzle.challenge}" />
      <input type="hidden" name="solution" value="" />
      ${passkeys && html`<input type="hidden" name="passkeys" value="1" />`}
      <p><progress max="100" value="0" aria-label="${texts.puzzleTitle}"></progress></p>
    </form>
    <noscript>
      <p>${mails ? texts.puzzleOrLink : texts.puzzleNeedsScript}</p>
      ${
        mails &&
        html`<form method="post" action="${sessionPath}/password">
          ${tokenField(token)} <input type="hidden" name="kept" value="${kept}" />
          <input type="hidden" name="act" value="mail" />
          ${submitButton({ label: texts.puzzleSendLink, busy: texts.sending, look: "main" })}
        </form>`
      }
    </noscript>
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title: texts.puzzleTitle, body, puzzle: true, sessionPath });
}

/** The same for every address. */
export function linkSentPage(frame: Frame, { sessionPath, email }: { sessionPath: string; email: string }): Html {
  const { texts } = frame;
  const body = html`<h1>${texts.checkMail}</h1>
    <p>
      <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.puzzleLinkSent}</p>
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title: texts.checkMail, body, sessionPath });
}
