import type { MailTexts } from "./en.ts";

export const es: MailTexts = {
  kinds: {
    "sign-up": {
      subject: (app) => `Confirma tu dirección de correo para ${app}`,
      lead: (app) =>
        `Has pedido una cuenta de ${app} con esta dirección de correo. Confirma que la dirección es tuya y se creará la cuenta.`,
      button: () => "Confirmar y crear la cuenta",
      ifNotYou: () =>
        "No hagas nada. Sin tu confirmación no se crea ninguna cuenta. No compartas el enlace ni el código con nadie.",
    },
    "sign-in": {
      subject: (app) => `Inicia sesión en ${app}`,
      lead: (app) =>
        `Has pedido iniciar sesión en ${app} con esta dirección de correo. El enlace solo funciona en el navegador que lo pidió.`,
      button: (app) => `Iniciar sesión en ${app}`,
      ifNotYou: () =>
        "No hagas nada. Sin el código o el enlace, nadie inicia sesión. No los compartas con nadie, te los pida quien te los pida.",
    },
    verify: {
      subject: (app) => `Confirma tu dirección de correo para ${app}`,
      lead: (app) => `Confirma que esta es la dirección de correo de tu cuenta de ${app}.`,
      button: () => "Confirmar la dirección",
      ifNotYou: () => "No hagas nada. La dirección queda sin confirmar. No compartas el enlace ni el código con nadie.",
    },
    reset: {
      subject: (app) => `Restablece tu contraseña de ${app}`,
      lead: (app) => `Has pedido elegir una contraseña nueva para tu cuenta de ${app}.`,
      button: () => "Restablecer la contraseña",
      ifNotYou: () =>
        "No hagas nada. Tu contraseña no cambia. No compartas el enlace ni el código con nadie: con uno de los dos basta para cambiar tu contraseña.",
    },
    "change-address": {
      subject: (app) => `Confirma tu nueva dirección de correo para ${app}`,
      lead: (app) => `Confirma que esta es la nueva dirección de correo de tu cuenta de ${app}.`,
      button: () => "Confirmar la dirección de correo",
      ifNotYou: () => "No hagas nada. Tu dirección no se usa. No compartas el enlace ni el código con nadie.",
    },
    "address-changed": {
      subject: (app) => `La dirección de correo de tu cuenta de ${app} ha cambiado`,
      lead: (app) =>
        `Tu cuenta de ${app} tiene ahora otra dirección de correo. Los correos sobre la cuenta ya no llegan a esta.`,
      button: () => "Deshacer el cambio",
      ifNotYou: () =>
        "Deshaz el cambio. Eso restaura esta dirección, cierra todas las sesiones de la cuenta y elimina la contraseña y los métodos añadidos desde entonces. Después elige una contraseña nueva.",
    },
    "address-replaced": {
      subject: (app) => `Tu cuenta de ${app} tiene otra dirección de correo`,
      lead: (app) =>
        `${app} ha cambiado la dirección de correo de tu cuenta. Los correos sobre la cuenta ya no llegan a esta.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: (app) => `Di a ${app} que no lo has pedido.`,
    },
    "address-restored": {
      subject: (app) => `Tu cuenta de ${app} vuelve a tener su dirección de correo anterior`,
      lead: (app) =>
        `La dirección de correo de tu cuenta de ${app} vuelve a ser una anterior. Los correos sobre la cuenta ya no llegan a esta.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: (app) => `Lo hizo alguien que lee la dirección anterior. Pide ayuda a ${app}.`,
    },
    invite: {
      subject: (app) => `Invitación a ${app}`,
      lead: (app) => `Tienes una cuenta de ${app} preparada. Elige cómo vas a iniciar sesión.`,
      button: () => "Configurar tu cuenta",
      ifNotYou: () => "No hagas nada. Nadie puede entrar en la cuenta sin este enlace, así que no lo compartas.",
    },
    "password-form": {
      subject: (app) => `Sigue iniciando sesión en ${app}`,
      lead: (app) =>
        `Has pedido este enlace al iniciar sesión en ${app} con un navegador sin JavaScript. Abre el formulario para tu contraseña y solo funciona en ese navegador.`,
      button: () => "Abrir el formulario",
      ifNotYou: () =>
        "No tienes que hacer nada. El enlace no inicia ninguna sesión: solo abre un formulario que pide tu contraseña.",
    },
    "known-address": {
      subject: (app) => `Ya tienes una cuenta de ${app}`,
      lead: (app) =>
        `Alguien ha intentado crear una cuenta de ${app} con esta dirección de correo. Ya existe una, así que no se ha creado otra. Si has sido tú, inicia sesión como de costumbre.`,
      button: (app) => `Iniciar sesión en ${app}`,
      ifNotYou: () => "No tienes que hacer nada. No ha cambiado nada en tu cuenta y nadie ha entrado en ella.",
    },
    "method-added": {
      subject: (app) => `Nueva forma de iniciar sesión en tu cuenta de ${app}`,
      lead: (app) => `A partir de ahora, este método permite iniciar sesión en tu cuenta de ${app}:`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona tenga acceso a tu cuenta. Abre la página de tu cuenta, elimina este método y cierra las sesiones que no reconozcas. Después cambia tu contraseña, si tienes una.",
    },
    "method-removed": {
      subject: (app) => `Se ha eliminado una forma de iniciar sesión en tu cuenta de ${app}`,
      lead: (app) => `Este método ya no permite iniciar sesión en tu cuenta de ${app}:`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona tenga acceso a tu cuenta. Abre la página de tu cuenta, cierra las sesiones que no reconozcas y elimina los métodos que no sean tuyos. Después cambia tu contraseña, si tienes una.",
    },
    "password-changed": {
      subject: (app) => `Tu contraseña de ${app} ha cambiado`,
      lead: (app) => `Se ha cambiado la contraseña de tu cuenta de ${app}.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: (app) =>
        `Restablece tu contraseña cuanto antes: elige «¿Has olvidado tu contraseña?» al iniciar sesión en ${app}. Después abre la página de tu cuenta y elimina los métodos y las sesiones que no sean tuyos.`,
    },
    "new-device": {
      subject: (app) => `Nuevo inicio de sesión en tu cuenta de ${app}`,
      lead: (app) =>
        `Alguien ha iniciado sesión en tu cuenta de ${app} desde un navegador que no se había usado antes con ella.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Abre la página de tu cuenta y cierra esta sesión. Después cambia tu contraseña, si tienes una, y elimina los métodos que no sean tuyos.",
    },
    "factor-added": {
      subject: (app) => `Una aplicación de autenticación protege tu cuenta de ${app}`,
      lead: (app) =>
        `A partir de ahora, para iniciar sesión en tu cuenta de ${app} sin llave de acceso hace falta también un código de tu aplicación de autenticación. Guarda tus códigos de recuperación en un lugar seguro.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona tenga acceso a tu cuenta. Abre la página de tu cuenta, elimina la aplicación de autenticación y cierra las sesiones que no reconozcas. Después cambia tu contraseña.",
    },
    "factor-removed": {
      subject: (app) => `Tu cuenta de ${app} ya no tiene aplicación de autenticación`,
      lead: (app) =>
        `Se han eliminado la aplicación de autenticación y los códigos de recuperación de tu cuenta de ${app}.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona tenga acceso a tu cuenta. Cambia tu contraseña. Después abre la página de tu cuenta, cierra las sesiones que no reconozcas y configura de nuevo una aplicación de autenticación.",
    },
    "recovery-code-used": {
      subject: (app) => `Se ha usado un código de recuperación de tu cuenta de ${app}`,
      lead: (app) =>
        `Alguien ha iniciado sesión en tu cuenta de ${app} con uno de tus códigos de recuperación. Ese código ya no sirve.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Otra persona conoce un código de recuperación y tu contraseña. Cambia tu contraseña. Después abre la página de tu cuenta y obtén códigos de recuperación nuevos.",
    },
    "recovery-codes-new": {
      subject: (app) => `Códigos de recuperación nuevos para tu cuenta de ${app}`,
      lead: (app) =>
        `Se han creado códigos de recuperación nuevos para tu cuenta de ${app}. Los anteriores ya no sirven.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona tenga acceso a tu cuenta. Abre la página de tu cuenta, obtén códigos de recuperación nuevos y cierra las sesiones que no reconozcas. Después cambia tu contraseña.",
    },
    "factor-guessed": {
      subject: (app) => `Alguien intenta adivinar códigos de tu cuenta de ${app}`,
      lead: (app) =>
        `Alguien ha usado tu contraseña de ${app}, u otra de tus formas de iniciar sesión, y después ha introducido varios códigos incorrectos. No ha podido entrar.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Es posible que otra persona conozca tu contraseña. Cámbiala y, si puedes, usa una llave de acceso.",
    },
    "recovery-link-made": {
      subject: (app) => `Enlace de recuperación para tu cuenta de ${app}`,
      lead: (app) =>
        `El equipo de ${app} ha creado un enlace con el que puedes iniciar sesión sin tu segundo paso. Sirve una sola vez, junto con tu contraseña o tu otra forma de iniciar sesión.`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: (app) => `Di a ${app} que no lo has pedido.`,
    },
    "personal-token-made": {
      subject: (app) => `Nuevo token de acceso personal para tu cuenta de ${app}`,
      lead: (app) => `Se ha creado un token con el que un programa puede usar tu cuenta de ${app}:`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Puede que otra persona esté en tu cuenta. Abre la página de tu cuenta y finaliza este token y las sesiones que no reconozcas. Después cambia tu contraseña, si tienes una.",
    },
    "personal-token-ending": {
      subject: (app) => `Un token de acceso personal de tu cuenta de ${app} caduca pronto`,
      lead: (app) => `Un programa usa este token de tu cuenta de ${app}. Dejará de funcionar cuando el token caduque:`,
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () => "Abre la página de tu cuenta y finaliza el token. Después nadie podrá usarlo.",
    },
    "domain-missing": {
      subject: (app) => `Ya no se puede confirmar un dominio de tu organización en ${app}`,
      lead: (app) =>
        `Falta el registro TXT de este dominio. Si falta durante tres días, nadie más podrá unirse con él a tu organización en ${app}.`,
      button: () => "Abrir tu organización",
      ifNotYou: () => "Quizá alguien cambió los registros DNS del dominio. Añade el registro de nuevo.",
    },
    "domain-lost": {
      subject: (app) => `Un dominio ya no pertenece a tu organización en ${app}`,
      lead: (app) =>
        `Este dominio ya no se pudo confirmar. Nadie más puede unirse con él a tu organización en ${app}. Los miembros siguen siéndolo.`,
      button: () => "Abrir tu organización",
      ifNotYou: () =>
        "Quizá alguien cambió los registros DNS del dominio. Añade el registro de nuevo para volver a confirmarlo.",
    },
    "organization-setup": {
      subject: (app) => `Configura el inicio de sesión de tu empresa en ${app}`,
      lead: (app) => `Te piden que conectes el proveedor de identidad de tu empresa con ${app} para esta organización:`,
      button: () => "Abrir los pasos",
      ifNotYou: () =>
        "No hagas nada. El enlace solo se abre con un código que enviamos a esta dirección, y nada funciona hasta que un propietario de la organización lo confirma.",
    },
    "organization-setup-code": {
      subject: (app) => `Tu código para configurar el inicio de sesión en ${app}`,
      lead: (app) => `Introduce este código para seguir configurando el inicio de sesión de tu empresa en ${app}:`,
      button: () => "Abrir los pasos",
      ifNotYou: () => "No hagas nada y no des el código a nadie.",
    },
    "organization-invite": {
      subject: (app) => `Invitación a una organización en ${app}`,
      lead: (app) => `Tienes una invitación para unirte a esta organización en ${app}:`,
      button: () => "Ver la invitación",
      ifNotYou: () => "No hagas nada. Con este enlace solo puede unirse quien tiene esta dirección. No lo compartas.",
    },
    "organization-declined": {
      subject: (app) => `Se rechazó una invitación a tu organización en ${app}`,
      lead: () => "Una persona a la que invitaste no quiere unirse a esta organización:",
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () => "Pregunta a la persona. No puedes volver a invitar a esta dirección durante 30 días.",
    },
    "organization-owner-added": {
      subject: (app) => `Tu organización en ${app} tiene un nuevo propietario`,
      lead: () => "Ahora alguien puede hacerlo todo en esta organización:",
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () => "Pregunta a los demás propietarios y quita a esta persona si no es correcto.",
    },
    "organization-owner-removed": {
      subject: (app) => `Tu organización en ${app} tiene un propietario menos`,
      lead: () => "Alguien ya no es propietario de esta organización:",
      button: () => "Abrir la página de tu cuenta",
      ifNotYou: () =>
        "Pregunta a los demás propietarios. Si lo hizo uno de ellos, la organización no se puede eliminar durante 7 días.",
    },
    "organization-deleted": {
      subject: (app) => `Una organización en ${app} se eliminará`,
      lead: () =>
        "Un propietario ha eliminado esta organización. Nadie puede usarla ahora; sus miembros, ajustes y dominios se eliminarán para siempre:",
      button: () => "Conservar la organización",
      ifNotYou: () => "Conserva la organización. Cualquier propietario puede hacerlo hasta la eliminación.",
    },
    "organization-provider-changes": {
      subject: (app) => `Otro inicio de sesión para tu organización en ${app}`,
      lead: () =>
        "Se ha puesto o cambiado el proveedor con el que inician sesión los miembros de esta organización. Vale desde ahora, o desde la hora indicada abajo:",
      button: () => "Abrir tu organización",
      ifNotYou: () =>
        "Abre tu organización y elimina el proveedor. Después pregunta a los demás propietarios quién lo puso.",
    },
    "organization-provider-fails": {
      subject: (app) => `Falla el inicio de sesión de tu organización en ${app}`,
      lead: () =>
        "Nadie puede iniciar sesión en esta organización con su proveedor. No se ha desactivado nada: quien debe usarlo no podrá entrar hasta que vuelva a funcionar.",
      button: () => "Abrir tu organización",
      ifNotYou: () =>
        "Pregunta a quienes administran el proveedor. Un propietario puede entrar con una clave de acceso o contraseña y un segundo factor.",
    },
    "organization-relink": {
      subject: (app) => `Vuelve a iniciar sesión en tu organización en ${app}`,
      lead: () =>
        "El proveedor de esta organización conoce a sus miembros con identidades nuevas. Inicia sesión con él una vez y demuestra que la cuenta es tuya:",
      button: () => "Abrir tu organización",
      ifNotYou: () =>
        "Pregunta a los propietarios de la organización. Nadie obtiene tu cuenta sin tu propio inicio de sesión o tu buzón.",
    },
    approved: {
      subject: (app) => `Tu cuenta de ${app} fue aprobada`,
      lead: (app) => `Ya puedes usar tu cuenta de ${app}.`,
      button: (app) => `Continuar a ${app}`,
      ifNotYou: () => "Ignora este correo. La cuenta se creó con tu dirección de correo.",
    },
    refused: {
      subject: (app) => `Tu cuenta de ${app} no fue aprobada`,
      lead: (app) => `Tu cuenta en ${app} no fue aprobada y sus datos se borraron. Puedes registrarte de nuevo.`,
      button: (app) => app,
      ifNotYou: () => "Ignora este correo. Alguien pidió una cuenta con tu dirección de correo.",
    },
    "accounts-waiting": {
      subject: (app) => `Hay cuentas de ${app} que esperan aprobación`,
      lead: (app) =>
        `Personas que se registraron en ${app} esperan aprobación. El próximo correo llegará dentro de una hora como pronto.`,
      button: () => "Verlas",
      ifNotYou: () => "Pregunta a quien gestiona este servicio: eligió quién recibe este correo.",
    },
  },
  addressBelow: "Si el botón no funciona, abre esta dirección:",
  codeInstead: "O introduce este código en la página que lo pide:",
  holdsUntil: (time) => `El enlace y el código sirven una sola vez, hasta el ${time}.`,
  linkHoldsUntil: (time) => `El enlace sirve una sola vez, hasta el ${time}.`,
  ifNotYouTitle: "Si no has sido tú",
  ifUnexpectedTitle: "Si no lo esperabas",
  fact: (label, value) => `${label}: ${value}`,
  when: "Fecha",
  device: "Dispositivo",
  ipAddress: "Dirección IP",
  token: "Token",
  lastDay: "Último día",
  support: "Soporte",
  invitedBy: "Invitación de",
  person: "Persona",
  provider: "Proveedor",
  worksFrom: "Vale desde",
  since: "Desde",
  reason: "Motivo",
  connects: "El código conecta tu cuenta con el inicio de sesión en",
  lastUsed: "Último uso",
  browserOn: (browser, device) => `${browser} en ${device}`,
  accountsWaiting: (count) => (count === 1 ? "1 cuenta espera." : `${count} cuentas esperan.`),
  codesLeft: (count) => `Códigos de recuperación restantes: ${count}`,
  methods: { passkey: "Llave de acceso", password: "Contraseña", oauth: "Cuenta de otro servicio" },
};
