import type { MailTexts } from "./en.ts";

export const pt: MailTexts = {
  kinds: {
    "sign-up": {
      subject: (app) => `Confirme seu endereço de e-mail para ${app}`,
      lead: (app) =>
        `Você pediu uma conta em ${app} com este endereço de e-mail. Confirme que o endereço é seu e a conta será criada.`,
      button: () => "Confirmar e criar a conta",
      ifNotYou: () =>
        "Não faça nada. Sem a sua confirmação, nenhuma conta é criada. Não passe o link nem o código a ninguém.",
    },
    "sign-in": {
      subject: (app) => `Entrar em ${app}`,
      lead: (app) =>
        `Você pediu para entrar em ${app} com este endereço de e-mail. O link só funciona no navegador que o pediu.`,
      button: (app) => `Entrar em ${app}`,
      ifNotYou: () =>
        "Não faça nada. Sem o código ou o link, ninguém entra. Não os passe a ninguém, não importa quem peça.",
    },
    verify: {
      subject: (app) => `Confirme seu endereço de e-mail para ${app}`,
      lead: (app) => `Confirme que este é o endereço de e-mail da sua conta em ${app}.`,
      button: () => "Confirmar o endereço",
      ifNotYou: () => "Não faça nada. O endereço fica sem confirmação. Não passe o link nem o código a ninguém.",
    },
    reset: {
      subject: (app) => `Redefina sua senha de ${app}`,
      lead: (app) => `Você pediu para escolher uma nova senha para a sua conta em ${app}.`,
      button: () => "Redefinir a senha",
      ifNotYou: () =>
        "Não faça nada. Sua senha continua a mesma. Não passe o link nem o código a ninguém: qualquer um dos dois basta para mudar a sua senha.",
    },
    "change-address": {
      subject: (app) => `Confirme seu novo endereço de e-mail em ${app}`,
      lead: (app) => `Confirme que este é o novo endereço de e-mail da sua conta em ${app}.`,
      button: () => "Confirmar endereço de e-mail",
      ifNotYou: () => "Não faça nada. Seu endereço não é usado. Não compartilhe o link nem o código com ninguém.",
    },
    "address-changed": {
      subject: (app) => `O endereço de e-mail da sua conta em ${app} foi alterado`,
      lead: (app) =>
        `Sua conta em ${app} tem agora outro endereço de e-mail. Os e-mails sobre a conta não chegam mais a este.`,
      button: () => "Desfazer a mudança",
      ifNotYou: () =>
        "Desfaça a mudança. Isso restaura este endereço, encerra todas as sessões da conta e remove a senha e os métodos adicionados desde então. Depois escolha uma nova senha.",
    },
    "address-replaced": {
      subject: (app) => `Sua conta em ${app} tem outro endereço de e-mail`,
      lead: (app) =>
        `${app} alterou o endereço de e-mail da sua conta. Os e-mails sobre a conta não chegam mais a este.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: (app) => `Diga a ${app} que você não pediu isso.`,
    },
    "address-restored": {
      subject: (app) => `Sua conta em ${app} voltou ao endereço de e-mail anterior`,
      lead: (app) =>
        `O endereço de e-mail da sua conta em ${app} voltou a ser um anterior. Os e-mails sobre a conta não chegam mais a este.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: (app) => `Foi alguém que lê o endereço anterior. Peça ajuda a ${app}.`,
    },
    invite: {
      subject: (app) => `Convite para ${app}`,
      lead: (app) => `Uma conta em ${app} está pronta para você. Escolha como você vai entrar.`,
      button: () => "Configurar sua conta",
      ifNotYou: () => "Não faça nada. Sem este link, ninguém consegue entrar na conta. Por isso, não o compartilhe.",
    },
    "password-form": {
      subject: (app) => `Continue entrando em ${app}`,
      lead: (app) =>
        `Você pediu este link ao entrar em ${app} com um navegador sem JavaScript. Ele abre o formulário para sua senha e só funciona nesse navegador.`,
      button: () => "Abrir o formulário",
      ifNotYou: () =>
        "Não é preciso fazer nada. O link não permite a entrada de ninguém: só abre um formulário que pede sua senha.",
    },
    "known-address": {
      subject: (app) => `Você já tem uma conta em ${app}`,
      lead: (app) =>
        `Alguém tentou criar uma conta em ${app} com este endereço de e-mail. Já existe uma, por isso nenhuma outra foi criada. Se foi você, entre como de costume.`,
      button: (app) => `Entrar em ${app}`,
      ifNotYou: () => "Não é preciso fazer nada. Nada mudou na sua conta e ninguém entrou nela.",
    },
    "method-added": {
      subject: (app) => `Nova forma de entrar na sua conta em ${app}`,
      lead: (app) => `A partir de agora, este método permite entrar na sua conta em ${app}:`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Talvez outra pessoa tenha acesso à sua conta. Abra a página da sua conta, remova este método e encerre as sessões que você não reconhece. Depois mude a sua senha, se tiver uma.",
    },
    "method-removed": {
      subject: (app) => `Uma forma de entrar na sua conta em ${app} foi removida`,
      lead: (app) => `Este método não permite mais entrar na sua conta em ${app}:`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Talvez outra pessoa tenha acesso à sua conta. Abra a página da sua conta, encerre as sessões que você não reconhece e remova os métodos que não são seus. Depois mude a sua senha, se tiver uma.",
    },
    "password-changed": {
      subject: (app) => `Sua senha de ${app} foi alterada`,
      lead: (app) => `A senha da sua conta em ${app} foi alterada.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: (app) =>
        `Redefina sua senha agora mesmo: escolha “Esqueceu a senha?” ao entrar em ${app}. Depois abra a página da sua conta e remova os métodos e as sessões que não são seus.`,
    },
    "new-device": {
      subject: (app) => `Novo acesso à sua conta em ${app}`,
      lead: (app) => `Alguém entrou na sua conta em ${app} com um navegador que ainda não tinha sido usado com ela.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Abra a página da sua conta e encerre esta sessão. Depois mude a sua senha, se tiver uma, e remova os métodos que não são seus.",
    },
    "factor-added": {
      subject: (app) => `Um app autenticador protege sua conta em ${app}`,
      lead: (app) =>
        `A partir de agora, para entrar na sua conta em ${app} sem chave de acesso, também é preciso um código do seu app autenticador. Guarde seus códigos de recuperação em um lugar seguro.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Talvez outra pessoa tenha acesso à sua conta. Abra a página da sua conta, remova o app autenticador e encerre as sessões que você não reconhece. Depois mude a sua senha.",
    },
    "factor-removed": {
      subject: (app) => `Sua conta em ${app} não tem mais app autenticador`,
      lead: (app) => `O app autenticador e os códigos de recuperação da sua conta em ${app} foram removidos.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Talvez outra pessoa tenha acesso à sua conta. Mude a sua senha. Depois abra a página da sua conta, encerre as sessões que você não reconhece e configure de novo um app autenticador.",
    },
    "recovery-code-used": {
      subject: (app) => `Um código de recuperação da sua conta em ${app} foi usado`,
      lead: (app) =>
        `Alguém entrou na sua conta em ${app} com um dos seus códigos de recuperação. Esse código não funciona mais.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Outra pessoa conhece um código de recuperação e a sua senha. Mude a sua senha. Depois abra a página da sua conta e obtenha novos códigos de recuperação.",
    },
    "recovery-codes-new": {
      subject: (app) => `Novos códigos de recuperação para sua conta em ${app}`,
      lead: (app) =>
        `Novos códigos de recuperação foram criados para a sua conta em ${app}. Os anteriores não funcionam mais.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Talvez outra pessoa tenha acesso à sua conta. Abra a página da sua conta, obtenha novos códigos de recuperação e encerre as sessões que você não reconhece. Depois mude a sua senha.",
    },
    "factor-guessed": {
      subject: (app) => `Alguém está tentando adivinhar códigos da sua conta em ${app}`,
      lead: (app) =>
        `Alguém usou a sua senha de ${app}, ou outra das suas formas de entrar, e depois digitou vários códigos errados. Essa pessoa não conseguiu entrar.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () => "Talvez outra pessoa conheça a sua senha. Mude-a e, se puder, use uma chave de acesso.",
    },
    "recovery-link-made": {
      subject: (app) => `Link de recuperação para sua conta em ${app}`,
      lead: (app) =>
        `A equipe de ${app} criou um link com o qual você pode entrar sem a segunda etapa. Ele funciona uma única vez, junto com a sua senha ou a sua outra forma de entrar.`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: (app) => `Diga a ${app} que você não pediu isso.`,
    },
    "personal-token-made": {
      subject: (app) => `Novo token de acesso pessoal para a sua conta em ${app}`,
      lead: (app) => `Foi criado um token com o qual um programa pode usar a sua conta em ${app}:`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Outra pessoa pode estar na sua conta. Abra a página da sua conta e encerre este token e as sessões que não reconhece. Depois altere a sua senha, se tiver uma.",
    },
    "personal-token-ending": {
      subject: (app) => `Um token de acesso pessoal da sua conta em ${app} expira em breve`,
      lead: (app) =>
        `Um programa usa este token da sua conta em ${app}. Ele deixa de funcionar quando o token expirar:`,
      button: () => "Abrir a página da sua conta",
      ifNotYou: () => "Abra a página da sua conta e encerre o token. Depois disso ninguém pode usá-lo.",
    },
    "domain-missing": {
      subject: (app) => `Um domínio da sua organização em ${app} não pode mais ser confirmado`,
      lead: (app) =>
        `O registro TXT deste domínio não foi encontrado. Se ele faltar por três dias, ninguém mais poderá entrar com este domínio na sua organização em ${app}.`,
      button: () => "Abrir sua organização",
      ifNotYou: () => "Talvez alguém tenha alterado os registros DNS do domínio. Adicione o registro novamente.",
    },
    "domain-lost": {
      subject: (app) => `Um domínio não pertence mais à sua organização em ${app}`,
      lead: (app) =>
        `Este domínio não pôde mais ser confirmado. Ninguém mais pode entrar com ele na sua organização em ${app}. Os membros continuam membros.`,
      button: () => "Abrir sua organização",
      ifNotYou: () =>
        "Talvez alguém tenha alterado os registros DNS do domínio. Adicione o registro novamente para confirmá-lo outra vez.",
    },
    "organization-setup": {
      subject: (app) => `Configure o login da sua empresa em ${app}`,
      lead: (app) => `Pedem que você conecte o provedor de identidade da sua empresa a ${app} para esta organização:`,
      button: () => "Abrir os passos",
      ifNotYou: () =>
        "Não faça nada. O link só abre com um código que enviamos a este endereço, e nada funciona antes que um proprietário da organização confirme.",
    },
    "organization-setup-code": {
      subject: (app) => `Seu código para configurar o login em ${app}`,
      lead: (app) => `Digite este código para continuar a configurar o login da sua empresa em ${app}:`,
      button: () => "Abrir os passos",
      ifNotYou: () => "Não faça nada e não passe o código a ninguém.",
    },
    "organization-invite": {
      subject: (app) => `Convite para uma organização em ${app}`,
      lead: (app) => `Você recebeu um convite para entrar nesta organização em ${app}:`,
      button: () => "Ver o convite",
      ifNotYou: () => "Não faça nada. Com este link só pode entrar quem tem este endereço. Não o compartilhe.",
    },
    "organization-declined": {
      subject: (app) => `Um convite para sua organização em ${app} foi recusado`,
      lead: () => "Uma pessoa que você convidou não quer entrar nesta organização:",
      button: () => "Abrir a página da sua conta",
      ifNotYou: () => "Pergunte à pessoa. Você não pode convidar este endereço de novo por 30 dias.",
    },
    "organization-owner-added": {
      subject: (app) => `Sua organização em ${app} tem um novo proprietário`,
      lead: () => "Alguém agora pode fazer tudo nesta organização:",
      button: () => "Abrir a página da sua conta",
      ifNotYou: () => "Pergunte aos outros proprietários e remova esta pessoa se não estiver certo.",
    },
    "organization-owner-removed": {
      subject: (app) => `Sua organização em ${app} tem um proprietário a menos`,
      lead: () => "Alguém não é mais proprietário desta organização:",
      button: () => "Abrir a página da sua conta",
      ifNotYou: () =>
        "Pergunte aos outros proprietários. Se foi um deles, a organização não pode ser excluída por 7 dias.",
    },
    "organization-deleted": {
      subject: (app) => `Uma organização em ${app} será excluída`,
      lead: () =>
        "Um proprietário excluiu esta organização. Ninguém pode usá-la agora; seus membros, configurações e domínios serão excluídos para sempre:",
      button: () => "Manter a organização",
      ifNotYou: () => "Mantenha a organização. Qualquer proprietário pode fazer isso até a exclusão.",
    },
    "organization-provider-changes": {
      subject: (app) => `Outro login para sua organização em ${app}`,
      lead: () =>
        "O provedor com que os membros desta organização entram foi adicionado ou alterado. Isso vale a partir de agora, ou da hora indicada abaixo:",
      button: () => "Abrir sua organização",
      ifNotYou: () =>
        "Abra sua organização e remova o provedor. Depois pergunte aos outros proprietários quem o adicionou.",
    },
    "organization-provider-fails": {
      subject: (app) => `O login da sua organização em ${app} está falhando`,
      lead: () =>
        "Ninguém consegue entrar nesta organização com o provedor dela. Nada foi desativado: quem precisa usá-lo só poderá entrar quando ele voltar a funcionar.",
      button: () => "Abrir sua organização",
      ifNotYou: () =>
        "Fale com quem administra o provedor. Um proprietário pode entrar com uma chave de acesso ou senha e um segundo fator.",
    },
    "organization-relink": {
      subject: (app) => `Entre novamente na sua organização em ${app}`,
      lead: () =>
        "O provedor desta organização conhece seus membros por novas identidades. Entre com ele uma vez e prove que a conta é sua:",
      button: () => "Abrir sua organização",
      ifNotYou: () =>
        "Fale com os proprietários da organização. Ninguém recebe sua conta sem o seu próprio login ou a sua caixa de correio.",
    },
    approved: {
      subject: (app) => `Sua conta em ${app} foi aprovada`,
      lead: (app) => `Você já pode usar sua conta em ${app}.`,
      button: (app) => `Continuar para ${app}`,
      ifNotYou: () => "Ignore este e-mail. A conta foi criada com seu endereço de e-mail.",
    },
    refused: {
      subject: (app) => `Sua conta em ${app} não foi aprovada`,
      lead: (app) =>
        `Sua conta em ${app} não foi aprovada e seus dados foram apagados. Você pode se cadastrar de novo.`,
      button: (app) => app,
      ifNotYou: () => "Ignore este e-mail. Alguém pediu uma conta com seu endereço de e-mail.",
    },
    "accounts-waiting": {
      subject: (app) => `Contas de ${app} aguardam aprovação`,
      lead: (app) =>
        `Pessoas que se cadastraram em ${app} aguardam aprovação. O próximo e-mail chega em uma hora, no mínimo.`,
      button: () => "Ver as contas",
      ifNotYou: () => "Pergunte a quem administra este serviço: foi lá que se definiu quem recebe este e-mail.",
    },
  },
  addressBelow: "Se o botão não funcionar, abra este endereço:",
  codeInstead: "Ou digite este código na página que o pede:",
  holdsUntil: (time) => `O link e o código funcionam uma única vez, até ${time}.`,
  linkHoldsUntil: (time) => `O link funciona uma única vez, até ${time}.`,
  ifNotYouTitle: "Se não foi você",
  ifUnexpectedTitle: "Se você não esperava isto",
  fact: (label, value) => `${label}: ${value}`,
  when: "Data",
  device: "Dispositivo",
  ipAddress: "Endereço IP",
  token: "Token",
  lastDay: "Último dia",
  support: "Suporte",
  invitedBy: "Convite de",
  person: "Pessoa",
  provider: "Provedor",
  worksFrom: "Vale a partir de",
  since: "Desde",
  reason: "Motivo",
  connects: "O código conecta sua conta ao login em",
  lastUsed: "Último uso",
  browserOn: (browser, device) => `${browser} em ${device}`,
  accountsWaiting: (count) => (count === 1 ? "1 conta aguarda." : `${count} contas aguardam.`),
  codesLeft: (count) => `Códigos de recuperação restantes: ${count}`,
  methods: { passkey: "Chave de acesso", password: "Senha", oauth: "Conta de outro serviço" },
};
