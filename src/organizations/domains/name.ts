import { canonicalDomain, newEmail } from "../../lib/email.ts";
import { isPublicSuffix } from "../../lib/public-suffixes.ts";
import { challengeName } from "./lookup.ts";

/** Providers of mailboxes for everybody, each with its names in other countries. */
const freeMail = new Set(
  [
    "gmail.com googlemail.com outlook.com outlook.de outlook.fr outlook.es outlook.jp outlook.com.br hotmail.com",
    "hotmail.co.uk hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.com.br live.com live.co.uk live.fr live.nl msn.com",
    "passport.com yahoo.com yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.in yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.ca",
    "yahoo.com.au yahoo.com.br yahoo.com.ar yahoo.com.mx ymail.com rocketmail.com aol.com aim.com verizon.net att.net",
    "sbcglobal.net bellsouth.net comcast.net cox.net charter.net earthlink.net icloud.com me.com mac.com proton.me",
    "protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com keemail.me fastmail.com",
    "fastmail.fm hey.com hushmail.com zoho.com zohomail.com zohomail.eu mail.com email.com usa.com gmx.com gmx.net gmx.de",
    "gmx.at gmx.ch web.de t-online.de freenet.de arcor.de posteo.de posteo.net mailbox.org bluewin.ch orange.fr wanadoo.fr",
    "free.fr sfr.fr laposte.net libero.it virgilio.it tiscali.it alice.it tin.it terra.com.br uol.com.br bol.com.br",
    "ig.com.br btinternet.com sky.com virginmedia.com ntlworld.com talktalk.net bigpond.com optusnet.com.au xtra.co.nz",
    "rogers.com shaw.ca sympatico.ca telenet.be skynet.be ziggo.nl kpnmail.nl home.nl wp.pl o2.pl onet.pl interia.pl",
    "seznam.cz centrum.cz email.cz abv.bg ukr.net yandex.ru yandex.com ya.ru mail.ru bk.ru inbox.ru list.ru rambler.ru",
    "qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn naver.com daum.net",
    "hanmail.net kakao.com nate.com docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp nifty.com rediffmail.com",
    "duck.com mozmail.com simplelogin.com anonaddy.com mailinator.com guerrillamail.com yopmail.com 10minutemail.com",
  ].flatMap((line) => line.split(" ")),
);

/**
 * The form in which the domains of addresses are stored: one function for both, so that no other
 * spelling is another domain. Or why nobody can claim it.
 */
export function parseDomain(text: string): { domain: string } | { problem: string } {
  const domain = canonicalDomain(text.trim());
  // Whatever is no domain of an address is none here.
  if (domain === undefined || newEmail(`a@${domain}`) !== `a@${domain}` || challengeName(domain).length > 253)
    return { problem: "a domain such as acme.com" };
  if (isPublicSuffix(domain)) return { problem: "a domain of its own: anybody can register names below this one" };
  if (freeMail.has(domain)) return { problem: "a domain of its own: anybody can have an address at this one" };
  return { domain };
}

/** The domain of a stored address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
