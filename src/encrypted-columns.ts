import { emailTokenContext } from "./email-tokens/service.ts";
import { mailContext } from "./mail/service.ts";
import { providerSecretContext } from "./oauth/accounts.ts";
import { oauthStateContext } from "./oauth/rounds.ts";
import type { EncryptedColumn } from "./secrets/unreadable.ts";
import type { StoredRow } from "./storage/table-names.ts";
import { signingKeyContext } from "./tokens/new-signing-key.ts";
import { secretContext } from "./webhooks/endpoint.ts";

/** Everything that is encrypted under the master key, with what each domain binds it to. */
export const encryptedColumns: EncryptedColumn[] = [
  { table: "signingKeys", column: "encryptedPrivateJwk", context: (row) => signingKeyContext(text(row, "id")) },
  {
    table: "oauthProviders",
    column: "encryptedSecret",
    context: (row) => providerSecretContext(text(row, "appId"), text(row, "name")),
  },
  { table: "webhookEndpoints", column: "encryptedSecret", context: (row) => secretContext(text(row, "id")) },
  { table: "webhookEndpoints", column: "encryptedOldSecret", context: (row) => secretContext(text(row, "id")) },
  { table: "mails", column: "encryptedMail", context: (row) => mailContext(text(row, "id")) },
  { table: "emailTokens", column: "encryptedSessionId", context: (row) => emailTokenContext(text(row, "digest")) },
  { table: "oauthStates", column: "encryptedSessionId", context: (row) => oauthStateContext(text(row, "digest")) },
];

function text(row: StoredRow, column: string): string {
  return String(row[column]);
}
