import type { Texts } from "./en.ts";

// Brazilian; "você", gender-neutral.
export const pt: Texts = {
  // The frame.
  youAreOn: "Você está em",
  openMailbox: "Modo de desenvolvimento: abrir a caixa de correio",
  errorTitle: (title) => `Erro: ${title}`,
  or: "ou",
  cancel: "Cancelar",
  backTo: (app) => `Voltar para ${app}`,
  terms: "Termos",
  privacy: "Privacidade",
  support: "Suporte",

  // Fields.
  email: "E-mail",
  password: "Senha",
  name: "Nome",
  optional: "Opcional",
  showCharacters: "Mostrar os caracteres",
  hideCharacters: "Ocultar os caracteres",
  show: "Mostrar",
  hide: "Ocultar",

  // Signing in.
  signInTo: (app) => `Entrar em ${app}`,
  signIn: "Entrar",
  signingIn: "Entrando…",
  signInWithPasskey: "Entrar com uma chave de acesso",
  usingPasskey: "Aguardando sua chave de acesso…",
  passkeyInOneLine: "Entre com a digital, o rosto ou o bloqueio de tela. Nada para lembrar.",
  continueWith: (provider) => `Continuar com ${provider}`,
  opening: (provider) => `Abrindo ${provider}…`,
  emailMeCode: "Enviar um código por e-mail",
  emailCodeInOneLine: "Vamos enviar um e-mail com um código. Nada para lembrar.",
  signInAs: "Você entra com este endereço de e-mail:",
  forgotPassword: "Esqueceu a senha?",
  newTo: (app) => `É sua primeira vez em ${app}?`,
  usedLast: "Usado por último",

  // Creating an account.
  createAccountAt: (app) => `Crie sua conta em ${app}`,
  createAccount: "Criar conta",
  creatingAccount: "Criando a conta…",
  createPasskey: "Criar uma chave de acesso",
  creatingPasskey: "Criando sua chave de acesso…",
  orChoosePassword: "ou escolha uma senha",
  passwordRule: (length) => `Pelo menos ${length} caracteres. O mais fácil: algumas palavras em sequência.`,
  strongEnough: "Forte o bastante",
  haveAccount: "Já tem uma conta?",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `Entre na sua conta em ${app}`,
  confirmItsYou: "Confirme que é você",
  confirmBefore: (app) => `Entre de novo antes de mudar sua conta em ${app}:`,
  otherAccount: "Essa é outra conta. Entre na que está indicada aqui.",
  proveAnewWhy: (provider, app) =>
    `${provider} não diz que você acabou de entrar lá. ${app} precisa de mais uma prova de que é você.`,
  proveAnewNoWay: (provider, app) =>
    `${provider} não diz que você acabou de entrar lá, e nada mais nesta conta pode provar que é você: ela não tem chave de acesso, nem senha, nem um e-mail para o qual possamos enviar um código. Fale com ${app}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "Agora use sua chave de acesso",
  usePasskeyWhy: (app) => `${app} pede uma chave de acesso cada vez que você entra.`,
  usePasskey: "Usar sua chave de acesso",
  createPasskeyTitle: "Crie uma chave de acesso para continuar",
  createPasskeyWhy: (app) => `${app} pede uma chave de acesso cada vez que você entra, e você ainda não tem nenhuma.`,
  offerPasskeyTitle: "Entre mais rápido da próxima vez",
  notNow: "Agora não",
  continuing: "Continuando…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `Continuar como ${name}`,
  useAnotherAccount: "Usar outra conta",
  consentTitle: (client) => `${client} pede acesso`,
  consentQuestion: (client, app) => `Permitir que ${client} use a sua conta de ${app}?`,
  consentGets: "Isto inclui:",
  consentAt: (resource) => `Ele age em seu nome em ${resource}:`,
  consentReturnsTo: "Você voltará para",
  consentStaysHere:
    "Permita somente se você acabou de abrir este programa: qualquer programa neste dispositivo poderia pedir com este nome.",
  callsItself: (name) => `Ele se apresenta como “${name}”.`,
  nobodyChecked: "Ninguém verificou este nome.",
  scopeOpenid: "Quem você é: um identificador que não muda",
  scopeProfile: "O seu nome e a sua foto",
  scopeEmail: "O seu endereço de e-mail",
  scopeGroups: "Os nomes dos seus grupos",
  scopeOfflineAccess: "Acesso também na sua ausência, até que você o encerre",
  consentAgree: "Permitir",
  consentDeny: "Negar",

  // The first proof of an address, and what it removes.
  takeOverTitle: "Antes de continuar",
  takeOverFor: (app) => `Sua conta em ${app} com este endereço de e-mail:`,
  takeOverWhy:
    "Ninguém havia confirmado este endereço de e-mail antes; talvez outra pessoa tenha configurado a conta. Para que só você possa usá-la, isto será removido ao continuar:",
  takeOverStays: "O nome e todo o resto da conta são mantidos.",
  takeOverAgree: "Remover e continuar",
  unprovenPassword: "a senha definida antes da confirmação do endereço",
  unprovenPasskeys: (count) => `chaves de acesso: ${count}`,
  unprovenProvider: (provider) => `a vinculação com ${provider}`,
  unprovenApp: "o app autenticador, com seus códigos de recuperação",
  unprovenPrograms: (count) => `programas com acesso: ${count}`,
  unprovenLogins: (count) => `sessões ativas: ${count}`,
  enterPasswordToAgree: "O código está correto. Digite sua nova senha outra vez para concordar.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `À sua conta em ${app}:`,
  addPasskeyTitle: "Adicionar uma chave de acesso",
  addPasswordTitle: "Adicionar uma senha",
  changePasswordTitle: "Mudar sua senha",
  newPassword: "Nova senha",
  savePassword: "Salvar a senha",
  saving: "Salvando…",
  addProviderTitle: (provider) => `Adicionar ${provider}`,
  addProviderNext: (provider) =>
    `Você passa uma vez por ${provider} para indicar qual é a sua conta lá. A partir daí, pode entrar com ela.`,
  identityTaken: (provider) =>
    `Essa conta em ${provider} já pertence a outra conta aqui. Escolha outra em ${provider}.`,
  identityThere: (provider) => `Você já pode entrar com essa conta em ${provider}.`,

  // A code in a mail.
  checkMail: "Confira seu e-mail",
  code: "Código",
  codeHint: "Oito dígitos, no e-mail mais recente.",
  mailedTo: "Enviamos um e-mail para este endereço:",
  mailedNext: "Digite aqui o código dele ou abra o link dele neste navegador.",
  confirmCode: "Confirmar",
  confirming: "Confirmando…",
  noMail: "Nada depois de um minuto? Procure na pasta de spam ou envie de novo. Só o mais recente funciona.",
  sendAgain: "Enviar de novo",
  sending: "Enviando…",
  sentAgain: "Um novo e-mail está a caminho, a não ser que vários já tenham sido enviados na última hora.",
  wrongAddress: "Não é o seu endereço?",
  otherAddress: "Usar outro",
  confirmAddress: "Confirme seu endereço de e-mail",
  confirmAddressOf: (app) => `Sua conta em ${app} será criada com este endereço:`,
  confirmAddressFor: (app) => `Este passa a ser o endereço confirmado da sua conta em ${app}:`,
  confirmAndContinue: (app) => `Confirmar e continuar para ${app}`,

  // Forgotten password.
  forgotLead: (app) =>
    `Digite o endereço de e-mail da sua conta em ${app}. Vamos enviar um link e um código para você escolher uma nova senha.`,
  sendMail: "Enviar e-mail",
  resetMailedTo: (app) => `Se este endereço tiver uma conta em ${app}, um e-mail está a caminho:`,
  resetMailedNext: "Abra o link dele em qualquer dispositivo ou digite aqui o código dele com uma nova senha.",
  chooseNewPassword: "Escolha uma nova senha",
  newPasswordFor: (app) => `Para sua conta em ${app}:`,
  endsLogins: "Ao salvar, todas as suas sessões são encerradas.",
  resetPassword: "Redefinir sua senha",
  resetNotSetUp: (app) => `Em ${app} ainda não dá para redefinir a senha por e-mail.`,
  resetOrPasskey: (app) =>
    `Se você tem uma chave de acesso para esta conta, entre com ela. Se não, peça ajuda ao suporte de ${app}.`,
  resetAskSupport: (app) => `Peça ajuda ao suporte de ${app} para voltar a entrar.`,
  backToSignIn: "Voltar para entrar",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "As chaves de acesso precisam de JavaScript, que está desativado neste navegador. Ative-o para esta página e recarregue-a.",
  passkeyNoSupport:
    "Este navegador não aceita chaves de acesso. Abra esta página em uma versão atual do Chrome, Edge, Firefox ou Safari, ou no seu celular.",
  passkeyNotUsed: "Nenhuma chave de acesso foi usada. Tente de novo quando quiser.",
  passkeyNotUsedOr: "Nenhuma chave de acesso foi usada. Tente de novo quando quiser ou entre de outra forma.",
  passkeyNotCreated: "Nenhuma chave de acesso foi criada. Tente de novo quando quiser.",
  passkeyNeedsLock:
    "Este dispositivo não consegue verificar que é você. Configure nele um bloqueio de tela, uma digital ou um PIN e tente de novo.",
  offline: "Não há conexão no momento. Verifique sua rede e tente de novo.",
  timedOut: (app) => `O tempo para entrar acabou. Volte para ${app} e comece de novo.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials: "O e-mail e a senha não correspondem. Tente de novo, redefina sua senha ou espere alguns minutos.",
  tooManyTries: (wait) => `Tentativas demais. Você pode tentar de novo em ${wait}.`,
  tooManyTriesOrPasskey: (wait) =>
    `Tentativas demais. Você pode tentar de novo em ${wait} ou entrar com uma chave de acesso.`,
  busy: "Muitas pessoas estão entrando agora. Espere alguns segundos e tente de novo.",
  passkeyUnknown: (app) =>
    `Essa chave de acesso não está vinculada a nenhuma conta em ${app}. Tente outra ou entre de outra forma.`,
  passkeyFailed: "Não foi possível verificar essa chave de acesso. Tente de novo ou entre de outra forma.",
  passkeyChanged:
    "Essa chave de acesso mudou desde que foi adicionada aqui. Entre de outra forma, remova-a e adicione-a de novo.",
  passkeyNotSaved: "Não foi possível salvar essa chave de acesso. Tente de novo.",
  passkeyExists: "Este dispositivo já tem uma chave de acesso para esta conta. Entre com ela.",
  passkeysFull: "Sua conta já tem o máximo de chaves de acesso. Remova primeiro uma que você não usa mais.",
  providerCancelled: (provider) => `Você voltou de ${provider} sem entrar. Tente de novo ou entre de outra forma.`,
  providerNoEmail: (provider) =>
    `${provider} não compartilhou um endereço de e-mail. Permita isso lá e tente de novo, ou entre de outra forma.`,
  providerUnsupportedEmail: (provider) =>
    `Seu endereço de e-mail em ${provider} não pode ser usado aqui. Use outro em ${provider} ou entre de outra forma.`,
  providerUnverifiedEmail: (provider) =>
    `Seu endereço de e-mail ainda não está confirmado em ${provider}. Confirme-o em ${provider} e tente de novo.`,
  providerExistingAccount: (provider, app) =>
    `Já existe uma conta em ${app} com este endereço de e-mail. Entre nela como de costume; depois você pode adicionar ${provider}.`,
  providerLinksAfter: (provider, app) =>
    `Este endereço de e-mail já tem uma conta em ${app}. Entre de outra forma, e sua conta em ${provider} será vinculada a ela.`,
  providerNoAccount: (provider, app) =>
    `Nenhuma conta em ${app} pertence a esta conta em ${provider}, e ${app} não aceita novas contas aqui.`,
  providerRefused: (provider, app) =>
    `${app} não pode usar esta conta de ${provider} para entrar. Entre de outra forma ou fale com ${app}.`,
  providerFailed: (provider) => `${provider} não respondeu como esperado. Tente de novo ou entre de outra forma.`,
  cannotCreate: "Não foi possível criar uma conta com estes dados. Se você já tem uma, entre nela.",

  codeOver:
    "Esse código não vale mais: já foi usado, foi tentado vezes demais ou é antigo demais. Peça um novo e-mail.",

  // The same in a few words, beside the field.
  codeMissing: "Digite os oito dígitos.",
  codeWrong: "Não é o código do e-mail mais recente.",
  emailMissing: "Digite seu endereço de e-mail.",
  emailInvalid: "Digite um endereço como nome@example.com.",
  emailUnsupported: "Letras como ü e sinais como % não são aceitos aqui antes do @. Use outro endereço.",
  passwordMissing: "Digite sua senha.",
  newPasswordMissing: "Digite uma senha.",
  passwordTooShort: (length) => `Curta demais. Use pelo menos ${length} caracteres.`,
  passwordTooLong: (length) => `Longa demais. Use no máximo ${length} caracteres.`,
  passwordCommon: "Esta é fácil de adivinhar: está nas listas de senhas comuns.",
  passwordBreached: "Esta apareceu em um vazamento de dados. Escolha uma que você não use em nenhum outro lugar.",
  passwordOfCommonOnes: "É feita de senhas comuns. Escolha algo menos previsível.",
  passwordOnKeyboard: "É um padrão do teclado. Escolha algo menos previsível.",
  passwordRepeats: "Repete os mesmos caracteres ou palavras. Escolha algo menos previsível.",
  passwordIsSequence: "É uma sequência como abcd ou 1234. Escolha algo menos previsível.",
  passwordIsDate: "É basicamente uma data. Escolha algo menos previsível.",
  passwordIsPersonal: "É basicamente seu nome, seu e-mail ou o nome do aplicativo. Escolha algo menos previsível.",
  passwordPredictable: "É fácil demais de adivinhar. Escolha algo menos previsível.",
  passwordContext: (app) => `Use algo diferente do seu e-mail ou do nome ${app}.`,
  nameTooLong: (length) => `Longo demais. Use no máximo ${length} caracteres.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "O tempo para entrar acabou",
  expiredNext: (app) => `Volte para ${app} e comece de novo.`,
  unknownNext: "Volte para o app de onde você veio e comece de novo.",
  finishedTitle: "Você entrou",
  finishedNext: (app) => `Você pode fechar esta página ou continuar para ${app}.`,
  continueTo: (app) => `Continuar para ${app}`,
  linkOverTitle: "Este link não funciona mais",
  linkOverNext:
    "Ele já foi usado, é antigo demais ou foi substituído por um e-mail mais novo. Abra o e-mail mais recente ou comece de novo pelo app.",
  sendNewLink: "Enviar um novo link",
  linkElsewhereTitle: "Abra este link onde você o pediu",
  linkElsewhereNext:
    "Nada foi confirmado. Para que ninguém use seu endereço na conta de outra pessoa, o link só funciona no navegador que o pediu. Abra-o lá ou digite o código do e-mail na página que está esperando lá.",
  signInLinkElsewhereNext:
    "Ninguém entrou. O link só funciona no navegador que o pediu. Abra-o lá ou digite o código do e-mail na página que está esperando lá. Se você não o pediu, feche esta página.",
  inviteTitle: (app) => `Boas-vindas a ${app}`,
  inviteNext: "Uma conta está pronta para você, com este endereço de e-mail:",
  inviteChoose: "Escolha como você vai entrar.",
  invitePassword: "Escolher uma senha",
  addressTakenTitle: "Este endereço não pode ser usado",
  addressTakenNext: (app) => `Outra conta em ${app} usa este endereço. Nada foi alterado.`,
  addressRestoredTitle: "Seu endereço de e-mail foi restaurado",
  addressRestoredReset:
    "Todas as sessões foram encerradas. Escolha agora uma nova senha. Depois abra a página da sua conta e remova os métodos que não são seus.",
  addressRestoredNext:
    "Todas as sessões foram encerradas. Entre na página da sua conta e remova os métodos que não são seus.",
  addressRestoredChoose:
    "Todas as sessões foram encerradas, e não resta nenhum método para entrar. Escolha um novo agora.",
  chooseMethod: "Escolher como entrar",
  continueToAccount: "Abrir a página da sua conta",
  accountCreatedTitle: "Sua conta foi criada",
  accountCreatedNext: (app) => `Seu endereço de e-mail está confirmado. Continue para ${app} e entre.`,
  passwordChangedTitle: "Sua senha foi alterada",
  passwordChangedNext: "Todas as suas sessões foram encerradas. Entre com a nova senha.",
  otherBrowserTitle: "Este acesso foi iniciado em outro navegador",
  otherBrowserNext: (app) => `Termine lá ou volte para ${app} neste navegador e comece de novo.`,
  otherBrowserNextUnknown: "Termine lá ou comece de novo pelo app neste navegador.",
  badRedirectTitle: "Este link de acesso não funciona",
  badRedirectNext:
    "O endereço de retorno não está registrado para este app, por isso você não foi para lá. Avise os responsáveis pelo app.",
  badLinkTitle: "Este link não funciona",
  badLinkNext:
    "Volte para o app de onde você veio e tente de novo. Se ainda não funcionar, avise os responsáveis pelo app.",
  badLinkDetails: "O que eles precisam saber:",
  noPageTitle: "Não há nenhuma página aqui",
  noPageNext: "Verifique o endereço ou volte para o app de onde você veio.",
  homeTitle: "É aqui que você entra",
  homeNext: "Os apps trazem você até aqui para entrar. Comece pelo app que você quer usar.",
  noMethodsTitle: "Ainda não há como entrar",
  noMethodsNext: (app) => `${app} ainda não ativou nenhuma forma de entrar. Avise os responsáveis.`,
  noMethodsCommand: "Você está no modo de desenvolvimento. Ative um método com este comando e recarregue a página:",
  crossSiteTitle: "Isso não veio desta página",
  crossSiteNext: "Nada foi alterado. Volte para o app de onde você veio e comece de novo.",
  cookiesTitle: "Os cookies estão desativados",
  cookiesNext:
    "Para entrar, é preciso um cookie neste site. Permita-o nas configurações do navegador e recarregue esta página.",
  serverErrorTitle: "Algo deu errado",
  serverErrorNext: "Espere um momento, volte e tente de novo.",
  tooManyTitle: "Tentativas demais",
  tooManyNext: (wait) => `Você pode tentar de novo em ${wait}.`,
  busyTitle: "O movimento está grande agora",
  busyNext: "Muitas pessoas estão entrando. Espere alguns segundos e tente de novo.",

  // The account page.
  accountTitle: (app) => `Sua conta em ${app}`,
  backToAccount: "Voltar para sua conta",
  onThisPage: "Nesta página",
  toSignIn: "Acesso",
  toDevices: "Dispositivos",
  toPrograms: "Programas",
  toData: "Dados",

  // Profile.
  profile: "Perfil",
  edit: "Editar",
  picture: "Foto",
  linkToPicture: "Link de uma foto",
  pictureHint: "Um endereço que começa com https://. Os apps mostram a foto ao lado do seu nome.",
  openPicture: "Abrir a foto",
  initialsInstead: "Estas páginas mostram suas iniciais para que o site da foto não saiba quando você está aqui.",
  notSet: "Não informado",
  verified: "Confirmado",
  notVerified: "Não confirmado",
  verifyEmail: "Confirmar",
  changeEmail: "Mudar o endereço de e-mail",
  changeEmailNext:
    "Um e-mail com um código vai para o novo endereço. O seu endereço atual também recebe um, com um link que desfaz a mudança durante 7 dias.",
  newEmail: "Novo endereço de e-mail",
  emailSame: "Este já é o seu endereço.",
  emailTaken: (app) => `Outra conta em ${app} tem este endereço.`,
  restoreTitle: "Restaurar seu endereço de e-mail",
  restoreNext: (app) => `O endereço de e-mail da sua conta em ${app} foi alterado. Este será restaurado:`,
  restoreEnds: "Todas as sessões da conta são encerradas, em todos os navegadores.",
  restoreRemoves: "Isto também é removido, porque outra pessoa pode conhecê-lo ou tê-lo adicionado:",
  restoreAlso: "Remova também estes, se não forem seus:",
  restore: "Restaurar endereço",
  restoring: "Restaurando…",
  editProfile: "Editar seu perfil",
  save: "Salvar",
  nameMissing: "Digite seu nome.",
  pictureNotHttps: "Digite um endereço como https://example.com/eu.png.",

  // Sign-in methods.
  methods: "Como você entra",
  addedOn: (date) => `Na conta desde ${date}`,
  changedOn: (date) => `Alterada em ${date}`,
  lastUsed: (date) => `Último uso: ${date}`,
  neverUsed: "Ainda sem uso",
  notInUse: (app) => `No momento, ${app} não permite entrar assim`,
  passkey: "Chave de acesso",
  addPasskey: "Adicionar uma chave de acesso",
  addPassword: "Adicionar uma senha",
  connect: (provider) => `Vincular ${provider}`,
  connectMenu: "Vincular…",
  change: "Mudar",
  changePassword: "Mudar a senha",
  rename: "Renomear",
  renameNamed: (name) => `Renomear “${name}”`,
  renameTitle: "Renomear esta chave de acesso",
  renameHint: "Um nome que diga onde está esta chave de acesso.",
  labelMissing: "Digite um nome.",
  remove: "Remover",
  removeNamed: (name) => `Remover “${name}”`,
  removePasswordTitle: "Remover sua senha?",
  removeTitle: (name) => `Remover “${name}”?`,
  removing: "Removendo…",
  removePasskeyNext: (app) =>
    `Ela não servirá mais para entrar em ${app}. Pode continuar na lista de chaves de acesso do seu dispositivo até você apagá-la lá.`,
  removePasswordNext: (app) => `Ela não servirá mais para entrar em ${app}.`,
  removeProviderNext: (provider) =>
    `Você não poderá mais entrar com esta conta em ${provider}. Sua conta em ${provider} fica como está.`,
  removeStaysSignedIn: "As sessões que já estão abertas continuam abertas.",
  lastMethod: "Sem este método você não poderia mais entrar. Adicione antes outra forma de entrar.",
  lastPasskey: (app) =>
    `${app} pede uma chave de acesso cada vez que você entra, e esta é a única que você tem. Adicione outra antes.`,

  // Logins.
  logins: "Suas sessões",
  noLogins: (app) => `No momento você não tem nenhuma sessão em ${app}, além desta página.`,
  browserOn: (browser, device) => `${browser} em ${device}`,
  unknownDevice: "Dispositivo desconhecido",
  byOperator: (app) => `Acesso da equipe de ${app}`,
  byActor: (name, app) => `${name}, da equipe de ${app}`,
  actorReason: (reason) => `Motivo: ${reason}`,
  here: "Este navegador",
  signedInOn: (date) => `Iniciada em ${date}`,
  lastSeen: (date) => `Última atividade: ${date}`,
  signOut: "Encerrar sessão",
  signOutNamed: (name) => `Encerrar sessão: ${name}`,
  signOutOthers: "Encerrar as outras sessões",
  signOutAll: "Encerrar todas as sessões",
  signingOut: "Encerrando…",
  signOutHere: "Sair neste navegador",
  signOutHereNext: "Você sairá de tudo o que abriu neste navegador com estas contas.",
  signOutOf: (app) => `Sair de ${app}?`,
  signOutOfNext: (app) => `Você sairá de tudo o que abriu neste navegador com sua conta em ${app}.`,
  staySignedIn: "Continuar conectado",

  // Programs with access.
  programs: "Programas com acesso",
  allowedOn: (date) => `Permitido em ${date}`,
  removeAccess: "Remover acesso",
  removeAccessNamed: (name) => `Remover acesso de ${name}`,

  // Personal data.
  data: "Seus dados",
  downloadLink: "Baixar seus dados",
  downloadTitle: "Baixar seus dados",
  downloadNext: (app) =>
    `Um arquivo com seu perfil, suas formas de entrar e suas sessões em ${app}. Ele não contém senhas nem chaves.`,
  download: "Baixar",
  deleteLink: "Excluir sua conta",
  deleteTitle: (app) => `Excluir sua conta em ${app}?`,
  deleteNow: "Isto acontece na hora e não pode ser desfeito:",
  deleteProfile: "Seu perfil e todas as suas formas de entrar são excluídos.",
  deleteLogins: (app) => `Todas as suas sessões em ${app} são encerradas.`,
  deleteElsewhere: (app) => `O que ${app} guarda sobre você por conta própria, cabe a ${app} excluir. Peça lá.`,
  deleteForGood: "Excluir minha conta para sempre",
  deleting: "Excluindo…",

  // Notices on the account page, after an action.
  noticeProfile: "Seu perfil foi salvo.",
  noticeVerified: "Seu endereço de e-mail está confirmado.",
  noticeEmail: "Seu endereço de e-mail foi alterado.",
  noticeRenamed: "O novo nome foi salvo.",
  noticeRemoved: "Método removido. Ninguém mais pode entrar com ele.",
  noticeAdded: (name) => `A partir de agora, você pode entrar com “${name}”.`,
  noticePassword: "Sua senha foi salva.",
  noticeLoginEnded: "A sessão nesse dispositivo foi encerrada.",
  noticeOthersEnded: "As outras sessões foram encerradas.",
  noticeAccessRemoved: "Esse programa não tem mais acesso à sua conta.",

  // Shown instead of the account page.
  noAccountTitle: "Abra esta página a partir do seu app",
  noAccountNext: "Cada app tem sua própria página de conta. Vá para o app que você usa e abra sua conta a partir dele.",
  signedOutTitle: "Você saiu",
  signedOutHere: "Ninguém está conectado neste navegador.",
  signedOutNext: (app) => `Para ver ou mudar sua conta em ${app}, entre de novo.`,
  notSignedInTitle: "Você não entrou na sua conta",
  notSignedInNext: (app) => `Para ver ou mudar sua conta em ${app}, entre.`,
  readyTitle: "Sua conta está pronta",
  readyNext: (app) => `A partir de agora, entre em ${app} da forma que você acabou de escolher.`,
  deletedTitle: "Sua conta foi excluída",
  deletedNext: (app) => `Não é mais possível entrar em ${app} com ela. Você pode fechar esta página.`,
  notFoundTitle: "Isso não está mais aqui",
  notFoundNext: "Pode ter sido removido há pouco. A página da sua conta mostra o que existe agora.",

  // Second factors: signing in.
  factorTitle: "Digite seu código",
  factorNext: (app) => `Abra seu app autenticador e digite o código que ele mostra para ${app}.`,
  factorHint: "Seis dígitos.",
  useRecoveryCode: "Usar um código de recuperação",
  useAppCode: "Usar seu app autenticador",
  recoveryTitle: "Digite um código de recuperação",
  recoveryNext:
    "Use um dos códigos que você guardou ao configurar seu app autenticador. Cada um funciona uma única vez.",
  recoveryCode: "Código de recuperação",
  recoveryHint: "24 letras e dígitos, com ou sem os hifens.",
  trustBrowser: (days) => `Não perguntar neste navegador por ${days} ${days === 1 ? "dia" : "dias"}`,
  factorLost: (app) => `Perdeu seu app autenticador e seus códigos de recuperação? Peça ajuda a ${app}.`,
  factorMalformed: "Digite os seis dígitos que seu app mostra.",
  recoveryMalformed: "Digite todas as 24 letras e dígitos de um código.",
  factorWrong: "Esse código não está certo ou já foi usado. Espere o próximo.",
  recoveryWrong: "Esse código não está certo ou já foi usado.",
  factorBlockedTitle: "Os códigos não funcionam agora",
  factorBlocked: "Códigos errados demais foram digitados para esta conta.",
  factorBlockedPasskey: "Use sua chave de acesso. Depois disso, os códigos voltam a funcionar.",

  // The operator's link for people who lost their app.
  recoverTitle: "Entrar sem seu código",
  recoverNext: (app) => `Este link é para a sua conta em ${app}:`,
  recoverRemoves:
    "Entre mais uma vez. Depois disso, seu app autenticador e seus códigos de recuperação são removidos, e você pode configurar um novo app.",

  // Setting an authenticator app up.
  setUpTitle: "Configurar um app autenticador",
  setUpWhy: (app) => `${app} pede um código de um app assim quando você entra sem chave de acesso.`,
  setUpNext: "Quando você entrar sem chave de acesso, também será pedido um código deste app.",
  setUpScan: "Escaneie isto com um app autenticador no seu telefone:",
  setUpQrCode: "Código QR com a chave abaixo",
  setUpHere: "Abrir em um app deste telefone",
  setUpTyped: "Ou digite esta chave no app:",
  setUpCode: "Código que o app mostra",
  setUpCodeHint: "Seis dígitos. Eles mostram que o app tem a chave.",
  turnOn: "Ativar",
  turningOn: "Ativando…",
  setUpOver: "Esta página ficou aberta por tempo demais ou sua conta mudou. Escaneie o novo código.",

  // Recovery codes.
  codesTitle: "Guarde seus códigos de recuperação",
  codesNext:
    "Quando você não estiver com seu app autenticador, digite um destes códigos no lugar dele. Cada um funciona uma única vez. Eles só são mostrados agora, por isso guarde-os em um lugar seguro.",
  codesDownload: "Baixar",
  codesPrint: "Imprimir",
  codesKept: "Já guardei",
  codesAway: "Seus códigos de recuperação foram mostrados uma vez. Você pode obter outros na página da sua conta.",
  codeUsedTitle: "Você usou um código de recuperação",
  codesLeft: (count) =>
    count === 0 ? "Não resta nenhum código." : count === 1 ? "Resta 1 código." : `Restam ${count} códigos.`,
  codesFew: "Obtenha outros na página da sua conta. Se seu app não funciona mais, troque-o lá.",
  appNotUsed: "Você entrou sem usar seu app autenticador. Se ele não funciona mais, troque-o agora.",
  continue: "Continuar",

  // Second factors on the account page.
  secondStep: "Segunda etapa",
  secondStepNext: "Com um app autenticador, ninguém entra só com a sua senha.",
  authenticatorApp: "App autenticador",
  codesBlocked:
    "Os códigos não funcionam agora, porque códigos errados demais foram digitados. Para voltar a usá-los, troque o app.",
  setUp: "Configurar",
  replace: "Trocar",
  replaceTitle: "Trocar seu app autenticador",
  replaceNext:
    "O app que você tem agora funciona até o novo ser ativado. Você também recebe novos códigos de recuperação.",
  recoveryCodes: "Códigos de recuperação",
  recoveryCodesLeft: (count) => (count === 1 ? `Resta ${count}` : `Restam ${count}`),
  codesRunOut: "Obtenha outros antes que acabem.",
  newCodes: "Obter novos códigos",
  newCodesTitle: "Obter novos códigos de recuperação?",
  newCodesNext: "Os códigos que você tem agora deixam de funcionar.",
  removeFactorTitle: "Remover seu app autenticador?",
  removeFactorNext:
    "Nenhum código será mais pedido quando você entrar. Seus códigos de recuperação também deixam de funcionar.",
  factorRequired: (app) => `${app} exige uma segunda etapa, por isso o app não pode ser removido. Você pode trocá-lo.`,
  trustedUntil: (date) => `Sem pedir código até ${date}`,
  askAgain: "Voltar a pedir",
  askAgainNamed: (browser) => `Voltar a pedir: ${browser}`,
  noticeFactorAdded: "Seu app autenticador está configurado.",
  noticeFactorRemoved: "Seu app autenticador foi removido.",
  noticeTrustEnded: "Nesse navegador, um código será pedido de novo.",

  // Signing in on a device that has no browser.
  deviceTitle: "Entrar no seu dispositivo",
  deviceLead: "Digite o código que o seu dispositivo mostra.",
  deviceLeadFilled: "Verifique se o seu dispositivo mostra este código.",
  deviceCodeHint: "Oito letras, por exemplo WDJB-MJHT.",
  deviceInFront:
    "Continue somente se o código estiver em um dispositivo na sua frente. Se alguém enviou o código para você, pare aqui: essa pessoa entraria na sua conta.",
  deviceEnterCode: "Digitar um código",
  deviceCodeMalformed: "Digite as oito letras.",
  deviceCodeWrong: "Este código não vale, ou não vale mais.",
  deviceAskTitle: (client) => `Permitir que ${client} entre?`,
  deviceAccount: (app) => `O dispositivo usará então a sua conta de ${app}:`,
  deviceAskedAt: (when) => `O dispositivo pediu em ${when}, deste endereço:`,
  deviceAllowedTitle: "Você pode voltar ao seu dispositivo",
  deviceAllowedNext: "Ele continua sozinho em alguns segundos. Você pode fechar esta página.",
  deviceDeniedTitle: "Nada foi permitido",
  deviceDeniedNext: "O dispositivo não entrou na conta. Você pode fechar esta página.",
  deviceOverTitle: "Este código não vale mais",
  deviceOverNext: "Ele já foi usado ou é antigo demais. Peça um novo no seu dispositivo.",
  deviceNotAdmittedTitle: "Esta conta não pode ser usada aqui",
  deviceNotAdmittedNext: (app) =>
    `Quem administra ${app} permite este programa só para algumas contas. Digite o código de novo e escolha outra conta.`,
};
