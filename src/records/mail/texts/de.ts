import type { MailTexts } from "./en.ts";

export const de: MailTexts = {
  kinds: {
    "sign-up": {
      subject: (app) => `Bestätigen Sie Ihre E-Mail-Adresse für ${app}`,
      lead: (app) =>
        `Sie möchten mit dieser E-Mail-Adresse ein Konto bei ${app} anlegen. Bestätigen Sie, dass die Adresse Ihnen gehört, dann wird das Konto angelegt.`,
      button: () => "Bestätigen und Konto anlegen",
      ifNotYou: () =>
        "Sie müssen nichts tun. Ohne Ihre Bestätigung wird kein Konto angelegt. Geben Sie weder den Link noch den Code weiter.",
    },
    "sign-in": {
      subject: (app) => `Bei ${app} anmelden`,
      lead: (app) =>
        `Sie möchten sich mit dieser E-Mail-Adresse bei ${app} anmelden. Der Link gilt nur in dem Browser, in dem er angefordert wurde.`,
      button: (app) => `Bei ${app} anmelden`,
      ifNotYou: () =>
        "Sie müssen nichts tun. Ohne den Code oder den Link wird niemand angemeldet. Geben Sie beide nicht weiter, egal wer danach fragt.",
    },
    verify: {
      subject: (app) => `Bestätigen Sie Ihre E-Mail-Adresse für ${app}`,
      lead: (app) => `Bestätigen Sie, dass dies die E-Mail-Adresse Ihres Kontos bei ${app} ist.`,
      button: () => "E-Mail-Adresse bestätigen",
      ifNotYou: () =>
        "Sie müssen nichts tun. Die Adresse bleibt unbestätigt. Geben Sie weder den Link noch den Code weiter.",
    },
    reset: {
      subject: (app) => `Setzen Sie Ihr Passwort für ${app} zurück`,
      lead: (app) => `Sie möchten ein neues Passwort für Ihr Konto bei ${app} wählen.`,
      button: () => "Passwort zurücksetzen",
      ifNotYou: () =>
        "Sie müssen nichts tun. Ihr Passwort bleibt, wie es ist. Geben Sie weder den Link noch den Code weiter: Wer eines von beiden hat, kann Ihr Passwort ändern.",
    },
    "change-address": {
      subject: (app) => `Bestätigen Sie Ihre neue E-Mail-Adresse für ${app}`,
      lead: (app) => `Bestätigen Sie, dass dies die neue E-Mail-Adresse Ihres Kontos bei ${app} ist.`,
      button: () => "E-Mail-Adresse bestätigen",
      ifNotYou: () => "Tun Sie nichts. Ihre Adresse wird nicht verwendet. Geben Sie Link und Code niemandem weiter.",
    },
    "address-changed": {
      subject: (app) => `Die E-Mail-Adresse Ihres Kontos bei ${app} wurde geändert`,
      lead: (app) =>
        `Ihr Konto bei ${app} hat jetzt eine andere E-Mail-Adresse. E-Mails zum Konto kommen nicht mehr an diese.`,
      button: () => "Änderung rückgängig machen",
      ifNotYou: () =>
        "Machen Sie die Änderung rückgängig. Das stellt diese Adresse wieder her, meldet alle vom Konto ab und entfernt das Passwort sowie Anmeldemethoden, die seitdem hinzugefügt wurden. Wählen Sie danach ein neues Passwort.",
    },
    "address-replaced": {
      subject: (app) => `Ihr Konto bei ${app} hat eine andere E-Mail-Adresse`,
      lead: (app) =>
        `${app} hat die E-Mail-Adresse Ihres Kontos geändert. E-Mails zum Konto kommen nicht mehr an diese.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: (app) => `Teilen Sie ${app} mit, dass Sie das nicht wollten.`,
    },
    "address-restored": {
      subject: (app) => `Ihr Konto bei ${app} hat wieder seine frühere E-Mail-Adresse`,
      lead: (app) =>
        `Die E-Mail-Adresse Ihres Kontos bei ${app} wurde auf eine frühere zurückgesetzt. E-Mails zum Konto kommen nicht mehr an diese.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: (app) => `Das war jemand, der die frühere Adresse liest. Bitten Sie ${app} um Hilfe.`,
    },
    invite: {
      subject: (app) => `Einladung zu ${app}`,
      lead: (app) => `Bei ${app} liegt ein Konto für Sie bereit. Wählen Sie, wie Sie sich anmelden.`,
      button: () => "Konto einrichten",
      ifNotYou: () =>
        "Tun Sie nichts. Ohne diesen Link kann sich niemand am Konto anmelden. Geben Sie ihn deshalb niemandem weiter.",
    },
    "password-form": {
      subject: (app) => `Anmeldung bei ${app} fortsetzen`,
      lead: (app) =>
        `Sie haben diesen Link bei der Anmeldung bei ${app} angefordert, in einem Browser ohne JavaScript. Er öffnet das Formular für Ihr Passwort und funktioniert nur in diesem Browser.`,
      button: () => "Formular öffnen",
      ifNotYou: () =>
        "Sie müssen nichts tun. Der Link meldet niemanden an: Er öffnet nur ein Formular, das nach Ihrem Passwort fragt.",
    },
    "known-address": {
      subject: (app) => `Sie haben bereits ein Konto bei ${app}`,
      lead: (app) =>
        `Jemand wollte mit dieser E-Mail-Adresse ein Konto bei ${app} anlegen. Es gibt schon eines, deshalb wurde keines angelegt. Wenn Sie es waren, melden Sie sich wie gewohnt an.`,
      button: (app) => `Bei ${app} anmelden`,
      ifNotYou: () =>
        "Sie müssen nichts tun. An Ihrem Konto wurde nichts geändert, und niemand hat sich Zugang verschafft.",
    },
    "method-added": {
      subject: (app) => `Neue Anmeldemethode für Ihr Konto bei ${app}`,
      lead: (app) => `Mit dieser Methode kann man sich ab jetzt an Ihrem Konto bei ${app} anmelden:`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise hat jemand anders Zugang zu Ihrem Konto. Öffnen Sie Ihre Kontoseite, entfernen Sie diese Methode und beenden Sie Anmeldungen, die Sie nicht kennen. Ändern Sie danach Ihr Passwort, falls Sie eines haben.",
    },
    "method-removed": {
      subject: (app) => `Eine Anmeldemethode Ihres Kontos bei ${app} wurde entfernt`,
      lead: (app) => `Mit dieser Methode kann man sich nicht mehr an Ihrem Konto bei ${app} anmelden:`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise hat jemand anders Zugang zu Ihrem Konto. Öffnen Sie Ihre Kontoseite, beenden Sie Anmeldungen, die Sie nicht kennen, und entfernen Sie Methoden, die nicht Ihre sind. Ändern Sie danach Ihr Passwort, falls Sie eines haben.",
    },
    "password-changed": {
      subject: (app) => `Ihr Passwort für ${app} wurde geändert`,
      lead: (app) => `Das Passwort Ihres Kontos bei ${app} wurde geändert.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: (app) =>
        `Setzen Sie Ihr Passwort sofort zurück: Wählen Sie bei der Anmeldung an ${app} „Passwort vergessen?“. Öffnen Sie danach Ihre Kontoseite und entfernen Sie Methoden und Anmeldungen, die nicht Ihre sind.`,
    },
    "new-device": {
      subject: (app) => `Neue Anmeldung an Ihrem Konto bei ${app}`,
      lead: (app) =>
        `Jemand hat sich an Ihrem Konto bei ${app} angemeldet, in einem Browser, der dafür noch nicht benutzt wurde.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Öffnen Sie Ihre Kontoseite und beenden Sie diese Anmeldung. Ändern Sie danach Ihr Passwort, falls Sie eines haben, und entfernen Sie Methoden, die nicht Ihre sind.",
    },
    "factor-added": {
      subject: (app) => `Eine Authenticator-App schützt Ihr Konto bei ${app}`,
      lead: (app) =>
        `Wenn Sie sich ohne Passkey an Ihrem Konto bei ${app} anmelden, brauchen Sie ab jetzt auch einen Code aus Ihrer Authenticator-App. Bewahren Sie Ihre Wiederherstellungscodes sicher auf.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise hat jemand anders Zugang zu Ihrem Konto. Öffnen Sie Ihre Kontoseite, entfernen Sie die Authenticator-App und beenden Sie Anmeldungen, die Sie nicht kennen. Ändern Sie danach Ihr Passwort.",
    },
    "factor-removed": {
      subject: (app) => `Ihr Konto bei ${app} hat keine Authenticator-App mehr`,
      lead: (app) => `Die Authenticator-App und die Wiederherstellungscodes Ihres Kontos bei ${app} wurden entfernt.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise hat jemand anders Zugang zu Ihrem Konto. Ändern Sie Ihr Passwort. Öffnen Sie danach Ihre Kontoseite, beenden Sie Anmeldungen, die Sie nicht kennen, und richten Sie wieder eine Authenticator-App ein.",
    },
    "recovery-code-used": {
      subject: (app) => `Ein Wiederherstellungscode Ihres Kontos bei ${app} wurde verwendet`,
      lead: (app) =>
        `Jemand hat sich mit einem Ihrer Wiederherstellungscodes an Ihrem Konto bei ${app} angemeldet. Dieser Code gilt nicht mehr.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Jemand anders kennt einen Wiederherstellungscode und Ihr Passwort. Ändern Sie Ihr Passwort. Öffnen Sie danach Ihre Kontoseite und holen Sie sich neue Wiederherstellungscodes.",
    },
    "recovery-codes-new": {
      subject: (app) => `Neue Wiederherstellungscodes für Ihr Konto bei ${app}`,
      lead: (app) =>
        `Für Ihr Konto bei ${app} wurden neue Wiederherstellungscodes erzeugt. Die bisherigen gelten nicht mehr.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise hat jemand anders Zugang zu Ihrem Konto. Öffnen Sie Ihre Kontoseite, holen Sie sich neue Wiederherstellungscodes und beenden Sie Anmeldungen, die Sie nicht kennen. Ändern Sie danach Ihr Passwort.",
    },
    "factor-guessed": {
      subject: (app) => `Jemand rät Codes für Ihr Konto bei ${app}`,
      lead: (app) =>
        `Jemand hat Ihr Passwort für ${app} oder eine andere Ihrer Anmeldemethoden verwendet und danach mehrere falsche Codes eingegeben. Angemeldet wurde niemand.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise kennt jemand anders Ihr Passwort. Ändern Sie es, und verwenden Sie nach Möglichkeit einen Passkey.",
    },
    "recovery-link-made": {
      subject: (app) => `Wiederherstellungslink für Ihr Konto bei ${app}`,
      lead: (app) =>
        `Die Betreiber von ${app} haben einen Link erzeugt, mit dem Sie sich ohne Ihren zweiten Schritt anmelden können. Er gilt einmal, zusammen mit Ihrem Passwort oder Ihrer anderen Anmeldemethode.`,
      button: () => "Kontoseite öffnen",
      ifNotYou: (app) => `Teilen Sie ${app} mit, dass Sie nicht darum gebeten haben.`,
    },
    "personal-token-made": {
      subject: (app) => `Neues persönliches Zugriffstoken für Ihr Konto bei ${app}`,
      lead: (app) => `Es wurde ein Token erstellt, mit dem ein Programm Ihr Konto bei ${app} nutzen kann:`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Möglicherweise ist jemand anderes in Ihrem Konto. Öffnen Sie Ihre Kontoseite, beenden Sie dieses Token und die Anmeldungen, die Sie nicht kennen. Ändern Sie dann Ihr Passwort, falls Sie eines haben.",
    },
    "personal-token-ending": {
      subject: (app) => `Ein persönliches Zugriffstoken Ihres Kontos bei ${app} läuft bald ab`,
      lead: (app) =>
        `Ein Programm nutzt dieses Token Ihres Kontos bei ${app}. Es funktioniert nicht mehr, wenn das Token abläuft:`,
      button: () => "Kontoseite öffnen",
      ifNotYou: () => "Öffnen Sie Ihre Kontoseite und beenden Sie das Token. Danach kann es niemand mehr nutzen.",
    },
    "domain-missing": {
      subject: (app) => `Eine Domain Ihrer Organisation bei ${app} lässt sich nicht mehr bestätigen`,
      lead: (app) =>
        `Der TXT-Eintrag dieser Domain fehlt. Fehlt er drei Tage lang, kann über sie niemand mehr Ihrer Organisation bei ${app} beitreten.`,
      button: () => "Organisation öffnen",
      ifNotYou: () => "Vielleicht hat jemand die DNS-Einträge der Domain geändert. Tragen Sie den Eintrag wieder ein.",
    },
    "domain-lost": {
      subject: (app) => `Eine Domain gehört nicht mehr zu Ihrer Organisation bei ${app}`,
      lead: (app) =>
        `Diese Domain ließ sich nicht mehr bestätigen. Über sie kann niemand mehr Ihrer Organisation bei ${app} beitreten. Mitglieder bleiben Mitglieder.`,
      button: () => "Organisation öffnen",
      ifNotYou: () =>
        "Vielleicht hat jemand die DNS-Einträge der Domain geändert. Tragen Sie den Eintrag wieder ein, um sie neu zu bestätigen.",
    },
    "organization-setup": {
      subject: (app) => `Richten Sie die Anmeldung Ihres Unternehmens bei ${app} ein`,
      lead: (app) =>
        `Sie werden gebeten, den Identitätsanbieter Ihres Unternehmens für diese Organisation mit ${app} zu verbinden:`,
      button: () => "Schritte öffnen",
      ifNotYou: () =>
        "Tun Sie nichts. Der Link öffnet sich nur mit einem Code, den wir an diese Adresse senden, und nichts gilt, bevor ein Eigentümer der Organisation es bestätigt.",
    },
    "organization-setup-code": {
      subject: (app) => `Ihr Code zum Einrichten der Anmeldung bei ${app}`,
      lead: (app) => `Geben Sie diesen Code ein, um die Anmeldung Ihres Unternehmens bei ${app} weiter einzurichten:`,
      button: () => "Schritte öffnen",
      ifNotYou: () => "Tun Sie nichts, und geben Sie den Code niemandem.",
    },
    "organization-invite": {
      subject: (app) => `Einladung zu einer Organisation bei ${app}`,
      lead: (app) => `Sie sind eingeladen, dieser Organisation bei ${app} beizutreten:`,
      button: () => "Einladung ansehen",
      ifNotYou: () =>
        "Tun Sie nichts. Mit diesem Link kann nur beitreten, wem diese Adresse gehört. Geben Sie ihn nicht weiter.",
    },
    "organization-declined": {
      subject: (app) => `Eine Einladung zu Ihrer Organisation bei ${app} wurde abgelehnt`,
      lead: () => "Jemand, den Sie eingeladen haben, möchte dieser Organisation nicht beitreten:",
      button: () => "Kontoseite öffnen",
      ifNotYou: () => "Fragen Sie die Person. Diese Adresse können Sie 30 Tage lang nicht erneut einladen.",
    },
    "organization-owner-added": {
      subject: (app) => `Ihre Organisation bei ${app} hat einen neuen Eigentümer`,
      lead: () => "Jemand darf in dieser Organisation jetzt alles:",
      button: () => "Kontoseite öffnen",
      ifNotYou: () => "Fragen Sie die anderen Eigentümer, und entfernen Sie die Person, wenn das nicht stimmt.",
    },
    "organization-owner-removed": {
      subject: (app) => `Ihre Organisation bei ${app} hat einen Eigentümer weniger`,
      lead: () => "Jemand ist kein Eigentümer dieser Organisation mehr:",
      button: () => "Kontoseite öffnen",
      ifNotYou: () =>
        "Fragen Sie die anderen Eigentümer. Wenn es einer von ihnen war, kann die Organisation 7 Tage lang nicht gelöscht werden.",
    },
    "organization-deleted": {
      subject: (app) => `Eine Organisation bei ${app} wird gelöscht`,
      lead: () =>
        "Ein Eigentümer hat diese Organisation gelöscht. Niemand kann sie jetzt nutzen; Mitglieder, Einstellungen und Domains werden endgültig gelöscht:",
      button: () => "Organisation behalten",
      ifNotYou: () => "Behalten Sie die Organisation. Bis zur Löschung kann das jeder Eigentümer.",
    },
    "organization-provider-changes": {
      subject: (app) => `Neue Anmeldung für Ihre Organisation bei ${app}`,
      lead: () =>
        "Der Anbieter, über den sich Mitglieder dieser Organisation anmelden, wurde eingetragen oder geändert. Das gilt ab jetzt oder ab der unten genannten Zeit:",
      button: () => "Organisation öffnen",
      ifNotYou: () =>
        "Öffnen Sie die Organisation und entfernen Sie den Anbieter. Fragen Sie dann die anderen Eigentümer, wer ihn eingetragen hat.",
    },
    "organization-provider-fails": {
      subject: (app) => `Die Anmeldung Ihrer Organisation bei ${app} ist gestört`,
      lead: () =>
        "Über den Anbieter dieser Organisation kann sich niemand anmelden. Nichts wurde abgeschaltet: Wer sich über ihn anmelden muss, kann es erst wieder, wenn er funktioniert.",
      button: () => "Organisation öffnen",
      ifNotYou: () =>
        "Fragen Sie die Betreiber des Anbieters. Ein Eigentümer kann sich mit Passkey oder Passwort und einem zweiten Faktor anmelden.",
    },
    "organization-relink": {
      subject: (app) => `Melden Sie sich neu bei Ihrer Organisation bei ${app} an`,
      lead: () =>
        "Der Anbieter dieser Organisation kennt ihre Mitglieder unter neuen Identitäten. Melden Sie sich einmal über ihn an und weisen Sie nach, dass das Konto Ihnen gehört:",
      button: () => "Organisation öffnen",
      ifNotYou: () =>
        "Fragen Sie die Eigentümer der Organisation. Ohne Ihre eigene Anmeldung oder Ihr Postfach bekommt niemand Ihr Konto.",
    },
    approved: {
      subject: (app) => `Ihr ${app}-Konto wurde freigegeben`,
      lead: (app) => `Sie können Ihr ${app}-Konto jetzt verwenden.`,
      button: (app) => `Weiter zu ${app}`,
      ifNotYou: () => "Ignorieren Sie diese E-Mail. Das Konto wurde mit Ihrer E-Mail-Adresse angelegt.",
    },
    refused: {
      subject: (app) => `Ihr ${app}-Konto wurde nicht freigegeben`,
      lead: (app) =>
        `Ihr Konto bei ${app} wurde nicht freigegeben, und seine Daten wurden gelöscht. Sie können sich noch einmal registrieren.`,
      button: (app) => app,
      ifNotYou: () => "Ignorieren Sie diese E-Mail. Jemand hat ein Konto mit Ihrer E-Mail-Adresse angelegt.",
    },
    "accounts-waiting": {
      subject: (app) => `Konten von ${app} warten auf Freigabe`,
      lead: (app) =>
        `Personen, die sich bei ${app} registriert haben, warten auf eine Freigabe. Die nächste E-Mail kommt frühestens in einer Stunde.`,
      button: () => "Ansehen",
      ifNotYou: () => "Fragen Sie, wer diesen Dienst betreibt. Dort wurde festgelegt, wer diese E-Mail bekommt.",
    },
  },
  addressBelow: "Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
  codeInstead: "Oder geben Sie diesen Code auf der Seite ein, die danach fragt:",
  holdsUntil: (time) => `Link und Code gelten einmal, bis ${time}.`,
  linkHoldsUntil: (time) => `Der Link gilt einmal, bis ${time}.`,
  ifNotYouTitle: "Wenn Sie es nicht waren",
  ifUnexpectedTitle: "Wenn Sie das nicht erwartet haben",
  fact: (label, value) => `${label}: ${value}`,
  when: "Zeitpunkt",
  device: "Gerät",
  ipAddress: "IP-Adresse",
  token: "Token",
  lastDay: "Letzter Tag",
  support: "Hilfe",
  invitedBy: "Eingeladen von",
  person: "Person",
  provider: "Anbieter",
  worksFrom: "Gilt ab",
  since: "Seit",
  reason: "Grund",
  connects: "Der Code verbindet Ihr Konto mit der Anmeldung bei",
  lastUsed: "Zuletzt benutzt",
  browserOn: (browser, device) => `${browser} auf ${device}`,
  accountsWaiting: (count) => (count === 1 ? "1 Konto wartet." : `${count} Konten warten.`),
  codesLeft: (count) => `Übrige Wiederherstellungscodes: ${count}`,
  methods: { passkey: "Passkey", password: "Passwort", oauth: "Konto bei einem anderen Dienst" },
};
