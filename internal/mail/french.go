package mail

import (
	"fmt"
	"time"
)

var frenchMonths = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août",
	"septembre",
	"octobre", "novembre", "décembre"}

func frenchDate(t time.Time) string {
	day := fmt.Sprint(t.Day())
	if t.Day() == 1 {
		day = "1er"
	}
	return fmt.Sprintf("%s\u00a0%s\u00a0%d à\u00a0%s (heure de Paris)", day, frenchMonths[t.Month()-1], t.Year(),
		t.Format("15:04"))
}

// What to do if the recipient did not do what the message is about.
const (
	frNotMe             = "Si ce n’est pas vous, changez votre mot de passe et fermez les sessions que vous ne reconnaissez pas~: {security}"
	frNotMeForgot       = "Si ce n’est pas vous, choisissez tout de suite un nouveau mot de passe, ce qui ferme toutes les sessions~: {forgot}"
	frNotMeOrganisation = "Si ce n’est pas vous, ni un autre propriétaire, écrivez sans attendre à {contact}."
	frNotMeWrite        = "Si ce n’est pas vous, écrivez sans attendre à {contact}."
	frNotMeOwner        = "{!contact}Si ce n’est pas vous, prévenez sans attendre l’exploitant du service~: {home}"
	frGranted           = "L’exploitant vous accorde l’offre {granted}~: les limites de votre compte {service} ne changent pas."
	frReserve           = "Au-delà du quota du jour, la réserve choisie pour ce compte prend le relais~: il y restait {reserve} requêtes ce mois-ci."
	frNoQuotaMail       = "Pour ne plus recevoir ces avis ou choisir leurs seuils~: {settings}"
)

var frNotMyWebhook = []string{"{!organisation}Si ce n’est pas vous, supprimez ce webhook, puis changez votre mot de passe~: {security}",
	"Si ce n’était pas prévu dans l’organisation {organisation}, supprimez ce webhook."}

var french = &locale{
	greeting: "Bonjour,", when: "Date", device: "Appareil", address: "Adresse IP", colon: "\u00a0:",
	thousands: "\u202f", euros: "%s,%02d\u00a0€", free: "gratuite",
	organisation: "Organisation", by: "Fait par",
	roles: map[string]string{"owner": "propriétaire", "admin": "administrateur", "developer": "développeur",
		"billing": "responsable de la facturation", "reader": "lecteur"},
	intervals: map[string]string{"month": "au mois", "year": "à l’année"}, eachYear: "chaque année",
	copyOf:     "Copie d’un message au compte {service} {owner}.",
	stopCopies: "Vous recevez cette copie parce que vous avez accepté à cette adresse les e-mails sur les paiements de ce compte. Pour ne plus en recevoir~: {link}",
	copyLink:   "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
	footer: []string{
		"Message automatique envoyé à {to} par {home}",
		"Une question~? Écrivez à {contact}.",
	},
	date: frenchDate,
	letters: map[Template]letter{
		Confirm: {
			subject: "Confirmez votre adresse e-mail",
			body:    []string{"Un compte {service} vient d’être créé avec cette adresse. Confirmez-la pour pouvoir créer une clé d’API."},
			button:  "Confirmer mon adresse",
			after: []string{"Le lien est valable 24~heures et ne sert qu’une fois.",
				"Si vous n’avez pas créé de compte, ne faites rien~: sans cette confirmation, il ne donne accès à rien."},
		},
		SignUpExists: {
			subject: "Vous avez déjà un compte {service}",
			body:    []string{"Quelqu’un a voulu créer un compte avec cette adresse, qui en a déjà un. Si c’est vous, connectez-vous."},
			button:  "Se connecter", path: "/signin",
			after: []string{"Mot de passe oublié~? Choisissez-en un nouveau~: {forgot}",
				"Si ce n’est pas vous, ne faites rien~: votre compte n’a pas changé."},
		},
		Reset: {
			subject: "Choisissez un nouveau mot de passe",
			body:    []string{"Vous avez demandé à choisir un nouveau mot de passe pour votre compte {service}."},
			button:  "Choisir un mot de passe",
			after: []string{"Le lien est valable une heure et ne sert qu’une fois. Toutes les sessions ouvertes seront fermées.",
				"Si ce n’est pas vous, ne faites rien~: votre mot de passe n’a pas changé. Si ces messages se répètent, activez la double authentification~: {security}"},
		},
		Verify: {
			subject: "Confirmez que c’est bien vous",
			body:    []string{"Vous avez demandé à confirmer par e-mail que le compte {service} est bien le vôtre, avant une opération sensible."},
			button:  "C’est bien moi",
			after: []string{"Le lien est valable 15~minutes et ne sert qu’une fois, dans le navigateur qui l’a demandé.",
				"Si ce n’est pas vous, quelqu’un est connecté à votre compte~: n’ouvrez pas le lien ci-dessus. Fermez plutôt les sessions que vous ne reconnaissez pas~: {security}"},
		},
		EmailChange: {
			subject: "Confirmez votre nouvelle adresse e-mail",
			body:    []string{"Vous avez demandé que cette adresse devienne celle de votre compte {service}. Pour la confirmer, connectez-vous à ce compte."},
			button:  "Confirmer cette adresse",
			after: []string{"Le lien est valable 24~heures et ne sert qu’une fois.",
				"Si ce n’est pas vous, ne faites rien~: aucun compte ne prendra cette adresse."},
		},
		EmailChanged: {
			subject: "L’adresse de votre compte {service} a changé",
			body:    []string{"L’adresse de votre compte est maintenant {email}. L’ancienne, {to}, ne permet plus de vous connecter."},
			after:   []string{frNotMeWrite, frNotMeOwner},
		},
		EmailTaken: {
			subject: "Cette adresse a déjà un compte {service}",
			body: []string{"Quelqu’un a demandé que cette adresse devienne celle d’un autre compte {service}. Elle a déjà le sien~: rien n’a changé.",
				"Pour la donner à l’autre compte, supprimez d’abord celui-ci, ou changez son adresse."},
			button: "Se connecter", path: "/signin",
			after: []string{"Si ce n’est pas vous, ne faites rien."},
		},
		NewSignIn: {
			subject: "Nouvelle connexion à votre compte {service}",
			body:    []string{"Quelqu’un s’est connecté à votre compte depuis un appareil que nous ne connaissions pas."},
			after: []string{"Si c’est vous, vous n’avez rien à faire.", frNotMe,
				"Si vous ne pouvez plus vous connecter~: {forgot}"},
		},
		PasswordChanged: {
			subject: "Votre mot de passe a changé",
			body: []string{"Le mot de passe de votre compte {service} a changé. Les autres sessions ont été fermées.",
				"Les passkeys et les jetons de gestion restent en place~: vérifiez sous Sécurité que tous sont bien les vôtres."},
			after: []string{frNotMeForgot},
		},
		TwoFactorOn: {
			subject: "La double authentification est activée",
			body: []string{"Un code vous sera demandé à chaque connexion. Les autres sessions ont été fermées. " +
				"Gardez vos codes de secours en lieu sûr~: ils remplacent votre téléphone si vous le perdez."},
			after: []string{frNotMe},
		},
		TwoFactorOff: {
			subject: "La double authentification est désactivée",
			body:    []string{"La connexion à votre compte {service} ne demande plus de code."},
			after:   []string{frNotMe},
		},
		FactorRecovery: {
			subject: "Désactiver la double authentification",
			body: []string{"Vous avez dit à l’exploitant du service {service} que vous avez perdu l’application et les codes de secours de votre compte. Confirmez que vous lisez le courrier de cette adresse.",
				"La double authentification sera désactivée trois jours après votre confirmation, pas avant. D’ici là, une connexion avec un code annule tout."},
			button: "Demander à la désactiver",
			after: []string{"Le lien est valable 24~heures et ne sert qu’une fois.",
				"Si vous n’avez rien demandé, n’ouvrez pas le lien ci-dessus. Choisissez plutôt un nouveau mot de passe~: {forgot}"},
		},
		FactorRecoveryDue: {
			subject: "La double authentification va être désactivée",
			body: []string{"Quelqu’un qui a accès à cette boîte a confirmé que le second facteur de votre compte {service} est perdu. Il sera désactivé le {until}, et toutes les sessions seront alors fermées.",
				"Ensuite, votre mot de passe suffira pour vous connecter. S’il est perdu aussi, choisissez-en un nouveau~: {forgot}"},
			after: []string{"Si ce n’est pas vous, connectez-vous avant avec un code de l’application ou un code de secours, ce qui garde votre second facteur, puis choisissez un nouveau mot de passe~: {signin}"},
		},
		RecoveryCodeUsed: {
			subject: "Un code de secours a servi",
			body:    []string{"Un code de secours de votre compte {service} a servi à la place du code de votre téléphone. Il ne servira plus.", "Codes de secours restants~: {left}."},
			button:  "Créer de nouveaux codes", path: "/account/security",
			after: []string{frNotMeForgot},
		},
		RecoveryCodesNew: {
			subject: "Vos codes de secours ont été remplacés",
			body:    []string{"De nouveaux codes de secours ont été créés pour votre compte {service}. Les anciens ne servent plus."},
			after:   []string{frNotMeForgot},
		},
		IdentityLinked: {
			subject: "La connexion avec {provider} a été ajoutée",
			body: []string{"Votre compte {service} accepte maintenant la connexion avec {provider} ({email}).",
				"{!email}Votre compte {service} accepte maintenant la connexion avec {provider}."},
			after: []string{frNotMe},
		},
		IdentityUnlinked: {
			subject: "La connexion avec {provider} a été retirée",
			body:    []string{"Votre compte {service} n’accepte plus la connexion avec {provider}."},
			after:   []string{frNotMe},
		},
		PasskeyAdded: {
			subject: "Une passkey a été ajoutée",
			body:    []string{"Votre compte {service} accepte désormais aussi la connexion avec la passkey «~{name}~», sans le mot de passe."},
			after:   []string{"Si ce n’est pas vous, supprimez cette passkey, changez votre mot de passe et fermez les sessions que vous ne reconnaissez pas~: {security}"},
		},
		PasskeyRemoved: {
			subject: "Une passkey a été supprimée",
			body:    []string{"Votre compte {service} n’accepte plus la connexion avec la passkey «~{name}~»."},
			after:   []string{frNotMe},
		},
		PasskeyCloned: {
			subject: "Une passkey a été refusée~: il en existe peut-être une copie",
			body: []string{"On a voulu utiliser la passkey «~{name}~» de votre compte {service}. Son compteur d’utilisations n’a pas augmenté, ce qui arrive quand il en existe une copie. Elle n’a pas été acceptée.",
				"Supprimez cette passkey et ajoutez-en une nouvelle, même si c’était vous."},
			button: "Voir mes passkeys", path: "/account/security",
			after: []string{frNotMe},
		},
		LinkFirst: {
			subject: "Connectez-vous d’abord avec votre mot de passe",
			body: []string{"Vous avez voulu vous connecter avec {provider}. Cette adresse a déjà un compte {service}, et {provider} ne garantit pas qu’elle est la vôtre.",
				"Connectez-vous comme d’habitude, puis ajoutez {provider} sur la page Sécurité. La prochaine fois, {provider} suffira."},
			button: "Se connecter", path: "/signin",
			after: []string{"Mot de passe oublié~? {forgot}",
				"Si ce n’est pas vous, ne faites rien~: personne ne s’est connecté."},
		},
		SessionsEnded: {
			subject: "Des sessions ont été fermées",
			body:    []string{"Des sessions de votre compte {service} ont été fermées à votre demande. Ces appareils devront se reconnecter.", "Sessions fermées~: {count}."},
			after:   []string{frNotMe},
		},
		KeyCreated: {
			subject: "Une clé d’API a été créée",
			body:    []string{"La clé «~{name}~» a été créée dans votre compte {service}. Nous n’en gardons que l’empreinte~: la clé elle-même n’existe que là où vous l’avez copiée."},
			button:  "Voir mes clés", path: "/account/keys",
			after: []string{"Si ce n’est pas vous, révoquez cette clé, puis changez votre mot de passe~: {security}"},
		},
		TokenCreated: {
			subject: "Un jeton de gestion a été créé",
			body: []string{"Le jeton «~{name}~» a été créé dans votre compte {service}. Un programme peut s’en servir pour lire la consommation, les clés ou les membres, selon ce qui a été coché, jusqu’au {expires}. Il ne donne accès ni aux données de l’API ni aux clés elles-mêmes.",
				"Nous n’en gardons que l’empreinte~: le jeton lui-même n’existe que là où il a été copié."},
			button: "Voir les jetons", path: "/account/tokens",
			after: []string{"Si ce n’est pas vous, révoquez ce jeton, puis changez votre mot de passe~: {security}"},
		},
		AssistantAdded: {
			subject: "Un assistant a été connecté",
			body: []string{"L’assistant «~{name}~» peut maintenant utiliser votre compte {service}. Ses requêtes comptent dans votre quota.",
				"Pour lui retirer l’accès, déconnectez-le sur la page Assistants."},
			button: "Voir mes assistants", path: "/account/assistants",
			after: []string{"Si ce n’est pas vous, déconnectez cet assistant, puis changez votre mot de passe~: {security}"},
		},
		AssistantLeft: {
			subject: "Un assistant s’est déconnecté",
			body: []string{"L’assistant «~{name}~» a mis fin de lui-même à son accès à votre compte {service}~: ses requêtes ne sont plus acceptées.",
				"C’est ce qui arrive quand on retire le connecteur dans l’assistant. Pour vous en servir encore, connectez-le de nouveau."},
			button: "Voir mes assistants", path: "/account/assistants",
		},
		AssistantReused: {
			subject: "Un assistant a été déconnecté par précaution",
			body: []string{"L’assistant «~{name}~» a présenté deux fois à {service} un jeton à usage unique. Quelqu’un en a peut-être une copie~: les requêtes de cet assistant ne sont plus acceptées.",
				"Un assistant qui a perdu une réponse peut en être la cause. Pour vous en servir encore, connectez-le de nouveau."},
			button: "Voir mes assistants", path: "/account/assistants",
		},
		KeyRotated: {
			subject: "Une clé d’API a été remplacée",
			body: []string{"La clé «~{name}~» de votre compte {service} a été remplacée.",
				"L’ancienne est acceptée jusqu’au {until}.",
				"{!until}L’ancienne n’est plus acceptée."},
			button: "Voir mes clés", path: "/account/keys",
			after: []string{"Si ce n’est pas vous, révoquez les deux clés, puis changez votre mot de passe~: {security}"},
		},
		KeyRevoked: {
			subject: "Une clé d’API a été révoquée",
			body:    []string{"La clé «~{name}~» de votre compte {service} n’est plus acceptée. Ce qui s’en servait reçoit l’erreur 401."},
			button:  "Voir mes clés", path: "/account/keys",
			after: []string{frNotMe},
		},
		KeyRevokedByOperator: {
			subject: "L’exploitant a révoqué une de vos clés d’API",
			body: []string{"L’exploitant du service {service} a révoqué la clé «~{name}~» de votre compte, le plus souvent parce que d’autres peuvent la lire, par exemple dans un dépôt public. " +
				"Elle n’est plus acceptée~: ce qui s’en servait reçoit l’erreur 401.",
				"Créez une autre clé pour vos programmes, et gardez-la hors du code publié. Vos autres clés restent valables."},
			button: "Voir mes clés", path: "/account/keys",
		},
		KeysRevoked: {
			subject: "Toutes vos clés d’API ont été révoquées",
			body: []string{"Plus aucune clé ni aucun assistant de votre compte {service} n’est accepté. Les programmes qui s’en servaient reçoivent l’erreur 401.",
				"Clés révoquées~: {count}."},
			button: "Voir mes clés", path: "/account/keys",
			after: []string{frNotMe},
		},
		KeyExpiring: {
			subject: "Une clé d’API expire bientôt",
			body: []string{"La clé «~{name}~» de votre compte {service} ne sera plus acceptée à partir du {expires}.",
				"Reculez son échéance, ou créez une autre clé et donnez-la à vos programmes avant cette date~: ils recevront sinon l’erreur 401. Remplacer cette clé ne change pas l’échéance."},
			button: "Voir mes clés", path: "/account/keys",
		},
		TokenExpiring: {
			subject: "Un jeton de gestion expire bientôt",
			body: []string{"Le jeton «~{name}~» de votre compte {service} ne sera plus accepté à partir du {expires}.",
				"Créez-en un autre avant cette date et donnez-le à vos programmes~: ils recevront sinon l’erreur " +
					"401. Son échéance ne peut pas être reculée."},
			button: "Voir les jetons", path: "/account/tokens",
		},
		Quota80: {
			subject: "Vous avez atteint 80~% de votre quota du jour",
			body: []string{"Votre compte {service} a utilisé {used} requêtes sur les {limit} de la journée (offre {plan}).",
				"{!reserve}Une fois le quota épuisé, l’API répond 429 (trop de requêtes) jusqu’à minuit, heure de Paris.", frReserve},
			button: "Voir ma consommation", path: "/account/usage",
			after: []string{frNoQuotaMail},
		},
		QuotaPart: {
			subject: "Vous avez atteint {percent}~% de votre quota du jour",
			body: []string{"Votre compte {service} a utilisé {used} requêtes sur les {limit} de la journée (offre {plan}).",
				"{!reserve}Une fois le quota épuisé, l’API répond 429 (trop de requêtes) jusqu’à minuit, heure de Paris.", frReserve},
			button: "Voir ma consommation", path: "/account/usage",
			after: []string{frNoQuotaMail},
		},
		Quota100: {
			subject: "Vous avez épuisé votre quota du jour",
			body: []string{"Votre compte {service} a utilisé les {limit} requêtes de la journée (offre {plan}).",
				"{!reserve}L’API répond maintenant 429 (trop de requêtes).", frReserve, "Le quota repart à zéro à minuit, heure de Paris."},
			button: "Voir ma consommation", path: "/account/usage",
			after: []string{frNoQuotaMail},
		},
		ReserveUsed: {
			subject: "Vous avez atteint {percent}~% de votre réserve du mois",
			body: []string{"Votre compte {service} a utilisé {used} requêtes sur les {limit} de sa réserve du mois.",
				"Elles feront l’objet d’une facture à part après la fin du mois. Une fois la réserve épuisée, l’API répond 429 (trop de requêtes) au-delà du quota du jour."},
			button: "Voir ma réserve", path: "/account/plan",
		},
		ReserveEnded: {
			subject: "Votre réserve est arrêtée~: une facture est impayée",
			body: []string{"Sur votre compte {service}, une facture de requêtes prises sur la réserve n’est pas payée. L’API répond de nouveau 429 (trop de requêtes) au-delà du quota du jour~; votre offre reste en place.",
				"Réglez-la depuis la page de votre offre, puis choisissez de nouveau une réserve."},
			button: "Voir mes factures", path: "/account/plan",
		},
		NoticeConfirm: {
			subject: "Recevoir les avis de quota d’un compte {service}~?",
			body: []string{"Le titulaire du compte {service} {owner} souhaite que cette adresse reçoive un e-mail quand le quota du jour de ce compte atteint certains seuils.",
				"Rien n’est envoyé sans votre accord."},
			button: "Accepter ou refuser",
			after: []string{"Le lien est valable 24~heures. Chaque avis contient un lien pour ne plus en recevoir.",
				"Si vous ne connaissez pas ce compte, ne faites rien, ou refusez~: il ne pourra plus vous demander de recevoir ses avis de quota pendant 30~jours."},
		},
		QuotaCopy: {
			subject: "{owner} a atteint {percent}~% de son quota du jour",
			body: []string{"Le compte {service} {owner} a utilisé {used} requêtes sur les {limit} de la journée (offre {plan}).",
				"{!reserve}Une fois le quota épuisé, l’API répond 429 (trop de requêtes) jusqu’à minuit, heure de Paris.", frReserve},
			after: []string{"Vous recevez cet avis parce que vous l’avez accepté à cette adresse. Pour ne plus en recevoir~: {link}"},
		},
		BillingConfirm: {
			subject: "Recevoir les e-mails de facturation d’un compte {service}~?",
			body: []string{"Le compte {service} {owner} souhaite que cette adresse reçoive une copie de ses e-mails sur son offre et ses paiements~: paiement refusé, offre changée ou terminée, réserve utilisée.",
				"Rien n’est envoyé sans votre accord."},
			button: "Accepter ou refuser",
			after: []string{"Le lien est valable 24~heures. Chaque e-mail contient un lien pour ne plus en recevoir.",
				"Si vous ne connaissez pas ce compte, ne faites rien, ou refusez~: il ne pourra plus vous demander de recevoir ses e-mails de facturation pendant 30~jours."},
		},
		Invitation: {
			subject: "{inviter} vous invite à rejoindre {organisation}",
			body: []string{"Sur {service}, vous auriez le rôle «~{role}~» dans cette organisation~: la page de l’invitation dit ce qu’il permet.",
				"Vous aurez votre propre compte et votre propre mot de passe."},
			button: "Voir l’invitation",
			after: []string{"Le lien est valable 7~jours et ne sert qu’une fois. Rien n’est accepté tant que vous ne l’avez pas confirmé sur la page.",
				"Si vous ne connaissez pas cette personne, ne faites rien."},
		},
		MemberJoined: {
			subject: "{member} a rejoint {organisation}",
			body:    []string{"Cette personne a accepté une invitation et a le rôle «~{role}~»."},
			button:  "Voir les membres", path: "/account/organisation",
			after: []string{"Si cette personne ne devait pas en faire partie, retirez-la sur cette page."},
		},
		MemberRemoved: {
			subject: "Vous ne faites plus partie de {organisation}",
			body: []string{"Un membre de l’organisation {organisation} vous en a retiré. Les clés personnelles et les assistants que vous y aviez ne sont plus acceptés.",
				"Votre propre compte {service} ne change pas."},
		},
		OwnerAdded: {
			subject: "{member} est maintenant propriétaire de {organisation}",
			body:    []string{"Sur {service}, cette personne peut maintenant tout faire dans l’organisation~: nommer et retirer des propriétaires, et la supprimer."},
			button:  "Voir les membres", path: "/account/organisation",
			after: []string{"Si ce n’est pas ce que vous vouliez, retirez-lui ce rôle sur cette page.", frNotMeOrganisation},
		},
		OwnerRemoved: {
			subject: "{member} n’est plus propriétaire de {organisation}",
			body:    []string{"Sur {service}, cette personne ne peut plus nommer de propriétaires ni supprimer l’organisation."},
			button:  "Voir mon compte", path: "/account",
			after: []string{frNotMeOrganisation},
		},
		FactorNeeded: {
			subject: "{organisation} exigera un second facteur",
			body: []string{"Sur {service}, l’organisation {organisation} exigera de ses membres un second " +
				"facteur à partir du {starts}. Votre compte n’en a pas~: ajoutez-y une application " +
				"d’authentification ou une passkey.",
				"Sans lui, les pages de l’organisation ne vous seront plus ouvertes à partir de cette date. Ses " +
					"clés et ses assistants continuent de fonctionner, et votre propre compte ne change pas."},
			button: "Ajouter un second facteur", path: "/account/security",
		},
		DomainLost: {
			subject: "{organisation}~: le domaine {domain} n’est plus vérifié",
			body: []string{"L’enregistrement qui prouve que le domaine {domain} appartient à l’organisation " +
				"{organisation} manque depuis 7~jours. Une adresse de ce domaine ne permet plus de rejoindre " +
				"l’organisation. Ses membres actuels restent membres.",
				"Remettez l’enregistrement en place et vérifiez-le sur la page Domaines, ou retirez le domaine."},
			button: "Voir les domaines", path: "/account/organisation/domains",
		},
		JoinRequested: {
			subject: "{member} demande à rejoindre {organisation}",
			body: []string{"{member}, dont l’adresse appartient à un domaine de l’organisation {organisation}, " +
				"demande à en faire partie, avec le rôle «~{role}~». Rien ne se fait sans l’accord d’un " +
				"propriétaire ou d’un administrateur."},
			button: "Répondre", path: "/account/organisation",
		},
		JoinedByDomain: {
			subject: "{member} a rejoint {organisation}",
			body:    []string{"Son adresse appartient au domaine {domain}~; son rôle est «~{role}~»."},
			button:  "Voir les membres", path: "/account/organisation",
			after: []string{"Si cette personne ne devait pas en faire partie, retirez-la sur cette page~: avec " +
				"ce compte, elle ne pourra plus revenir que sur invitation."},
		},
		JoinApproved: {
			subject: "Vous faites maintenant partie de {organisation}",
			body: []string{"Vous avez demandé à rejoindre l’organisation {organisation} sur {service}. " +
				"Vous y avez le rôle «~{role}~». Votre propre compte ne change pas."},
			button: "Voir mon compte", path: "/account",
		},
		ContactChanged: {
			subject: "Les e-mails de {organisation} vont à une autre adresse",
			body:    []string{"Les e-mails et les factures de l’organisation {organisation} sur {service} vont désormais à {email}, et non plus à cette adresse."},
			after:   []string{frNotMeOrganisation},
		},
		BecameOrganisation: {
			subject: "Votre compte est devenu l’organisation {organisation}",
			body: []string{"Votre compte {service} est devenu l’organisation {organisation}, dont vous êtes propriétaire. Ses clés, son offre et ses factures restent comme elles étaient.",
				"Vous vous connectez comme avant. Vous avez aussi, désormais, un compte personnel, sur l’offre gratuite et sans clé."},
			button: "Voir l’organisation", path: "/account/organisation",
			after: []string{frNotMe, "Aucune page ne permet de revenir en arrière~: écrivez aussi sans attendre à {contact}.", frNotMeOwner},
		},
		OrganisationDeleted: {
			subject: "L’organisation {organisation} a été supprimée",
			body: []string{"L’organisation {organisation} sur {service}, ses clés et son historique d’utilisation ont été effacés. Les clés ne sont plus acceptées. Ses membres gardent leurs propres comptes.",
				"L’exploitant du service {service} s’en est chargé. Motif~: {reason}",
				"L’abonnement à l’offre {plan} a pris fin avec elle~: plus rien ne sera débité."},
			after: []string{"{!reason}" + frNotMeOrganisation, "{!reason}" + frNotMeOwner},
		},
		AccountDeleted: {
			subject: "Votre compte {service} a été supprimé",
			body: []string{"Votre compte, ses clés et son historique d’utilisation ont été effacés. Les clés ne sont plus acceptées.",
				"L’exploitant du service {service} s’en est chargé. Motif~: {reason}",
				"L’abonnement à l’offre {plan} a pris fin avec lui~: plus rien ne sera débité."},
			after: []string{"{!reason}" + frNotMeWrite, "{!reason}" + frNotMeOwner},
		},
		PlanStarted: {
			subject: "Votre offre {plan} est active",
			body: []string{"{!granted}Le paiement est enregistré~: votre compte {service} est maintenant à l’offre {plan}. Ses limites s’appliquent dès maintenant, pour toutes vos clés.",
				"Le paiement de l’offre {plan} est enregistré. " + frGranted,
				"{!yearly}L’offre se renouvelle chaque mois, sans engagement~: vous pouvez la changer ou la résilier à tout moment.",
				"L’offre se renouvelle {yearly}~: vous pouvez la résilier à tout moment, pour la fin de l’année payée."},
			button: "Voir mon offre", path: "/account/plan",
		},
		PlanChanged: {
			subject: "Votre abonnement est passé à l’offre {plan}",
			body: []string{"{!granted}Votre compte {service} est passé de l’offre {was} à l’offre {plan}. Les nouvelles limites s’appliquent dès maintenant, pour toutes vos clés.",
				"Votre abonnement est passé de l’offre {was} à l’offre {plan}. " + frGranted,
				"{!was}Vous payez désormais l’offre {plan}. Vos limites restent les mêmes."},
			button: "Voir mon offre", path: "/account/plan",
		},
		PaymentFailed: {
			subject: "Le paiement de votre offre {plan} a échoué",
			body: []string{"Nous n’avons pas pu encaisser le paiement de votre offre {plan}. " + frGranted,
				"{!granted}Nous n’avons pas pu encaisser le paiement de votre offre {plan}. Vos limites restent les mêmes jusqu’au {until}.",
				"{!granted}Mettez à jour votre moyen de paiement avant cette date ou, si votre banque demande de confirmer le paiement, confirmez-le depuis la facture~: sans paiement, votre compte perd les limites de cette offre. Vos clés restent valables."},
			button: "Mettre à jour mon moyen de paiement", path: "/account/plan",
		},
		Recovered: {
			subject: "Le paiement de votre offre {plan} est passé",
			body:    []string{"Le paiement qui avait échoué est enregistré. Votre compte {service} a toutes les limites de l’offre {plan}."},
			button:  "Voir mon offre", path: "/account/plan",
		},
		WebhookAdded: {
			subject: "Un webhook a été ajouté~: {name}",
			body:    []string{"Le serveur {name} reçoit maintenant des événements de votre compte {service}~: sur le quota, les clés, le paiement ou les sources, selon ce qui a été coché. Ils ne contiennent ni clé ni adresse e-mail."},
			button:  "Ouvrir les webhooks", path: "/account/webhooks",
			after: frNotMyWebhook,
		},
		WebhookChanged: {
			subject: "L’adresse d’un webhook a été changée~: {name}",
			body:    []string{"Un webhook de votre compte {service} a une autre adresse~: ses événements sont maintenant envoyés au serveur {name}."},
			button:  "Ouvrir les webhooks", path: "/account/webhooks",
			after: frNotMyWebhook,
		},
		WebhookSecret: {
			subject: "Le secret d’un webhook a été remplacé~: {name}",
			body:    []string{"Les événements envoyés par {service} à {name} sont maintenant signés avec un autre secret. Tant que votre serveur ne l’a pas, il les refusera."},
			button:  "Ouvrir les webhooks", path: "/account/webhooks",
			after: frNotMyWebhook,
		},
		WebhookOff: {
			subject: "Webhook désactivé~: {name} n’accepte plus les événements",
			body: []string{"Depuis trois jours, {name} n’a accepté aucun des événements envoyés par {service}. Le webhook est désactivé~: plus rien n’y est envoyé.",
				"Son journal montre ce qui a échoué. Une fois votre serveur rétabli, réactivez le webhook, puis renvoyez depuis ce journal les événements manqués."},
			button: "Ouvrir les webhooks", path: "/account/webhooks",
			after: []string{"Documentation~: {events}"},
		},
		GraceOver: {
			subject: "Votre offre {plan} est suspendue, faute de paiement",
			body: []string{"{!granted}Le paiement de votre offre {plan} n’est toujours pas passé, sept jours après son échec. Votre compte {service} est maintenant à l’offre {now}.",
				"Le paiement de votre offre {plan} n’est toujours pas passé, sept jours après son échec. " + frGranted,
				"{!granted}Vos clés restent valables. L’offre {plan} revient dès que le paiement est enregistré."},
			button: "Mettre à jour mon moyen de paiement", path: "/account/plan",
		},
		SourcesKept: {
			subject: "Sources non mises à jour~:~{count}",
			body: []string{"Sur {service}, ces sources n’ont pas pu être mises à jour~; leurs données précédentes restent servies~: {sources}",
				"Sur {service}, ces sources n’ont pas pu être chargées~; rien n’en est encore servi~: {lacking}",
				"«~arpent sources~» donne la raison pour chacune~; «~arpent load~» suivi du nom d’une source accepte un fichier qui contient moins que le précédent."},
			button: "Voir les sources", path: "/sources",
		},
		PlanEnded: {
			subject: "Votre offre {plan} a pris fin",
			body: []string{"{!granted}Votre compte {service} n’est plus à l’offre {plan}. Il est maintenant à l’offre {now}.",
				"Votre abonnement ne vous donne plus l’offre {plan}. " + frGranted,
				"{!granted}Vos clés restent valables, dans les limites de cette offre. Vous pouvez reprendre une offre payante quand vous le voulez."},
			button: "Voir les offres", path: "/account/plan",
		},
		PlanEnding: {
			subject: "Votre offre {plan} est résiliée",
			body: []string{"{!granted}Votre offre {plan} reste en place jusqu’au {until}. Ensuite, votre compte {service} passe à l’offre {now}, et plus rien n’est débité.",
				"Votre abonnement à l’offre {plan} prend fin le {until}. Ensuite, plus rien n’est débité. " + frGranted,
				"{!granted}Vos clés restent valables, dans les limites de cette offre. D’ici là, vous pouvez encore garder l’offre {plan}."},
			button: "Voir mon offre", path: "/account/plan",
		},
		PlanChanging: {
			subject: "Votre offre {plan} va changer",
			body: []string{"{!granted}Votre offre {plan} reste en place jusqu’au {until}. Ensuite, votre compte {service} passe à l’offre {now}, avec ses limites et son prix.",
				"Votre abonnement passe de l’offre {plan} à l’offre {now} le {until}. " + frGranted,
				"Vos clés restent valables. D’ici là, vous pouvez encore garder l’offre {plan}."},
			button: "Voir mon offre", path: "/account/plan",
		},
		PlanRenewing: {
			subject: "Votre abonnement {plan} se renouvelle bientôt",
			body: []string{"Votre abonnement à l’offre {plan} se renouvelle pour un an le {until}.",
				"{amount}, taxes comprises, seront alors débités.",
				"Date limite pour ne pas le renouveler~: le {until}. L’offre reste alors en place jusque-là, et n’est plus débitée."},
			button: "Ne pas renouveler", path: "/account/plan/cancel",
			after: []string{"Pour garder l’offre, vous n’avez rien à faire."},
		},
		PlanKept: {
			subject: "Votre offre {plan} continue",
			body: []string{"{!yearly}L’offre {plan} de votre compte {service} n’est plus ni résiliée ni changée à la fin de la période payée~: elle se renouvelle chaque mois, comme avant.",
				"L’offre {plan} de votre compte {service} n’est plus ni résiliée ni changée à la fin de la période payée~: elle se renouvelle {yearly}, comme avant."},
			button: "Voir mon offre", path: "/account/plan",
		},
		AddressNeeded: {
			subject: "Votre adresse de facturation manque",
			body: []string{"L’adresse de facturation de votre compte {service} est absente ou introuvable~: la TVA de votre prochaine facture ne peut pas être calculée, et la facture n’est pas encaissée.",
				"Ouvrez votre offre, puis «~Carte et factures chez Stripe~», et complétez l’adresse. La facture partira ensuite d’elle-même. Votre offre {plan} reste en place en attendant."},
			button: "Compléter mon adresse", path: "/account/plan",
		},
		BillingFinding: {
			subject: "Facturation à vérifier~: {object}",
			body: []string{"Sur {service}, {what}",
				"Chez Stripe~: {object}. Détail~: {detail}",
				"Le service ne change rien de lui-même. «~arpent billing findings~» donne la liste complète~; un point disparaît quand il est résolu."},
			button: "Voir les comptes", path: "/admin",
		},
		PlansOnSale: {
			subject: "L’offre {plan} est disponible",
			body: []string{"Vous nous aviez demandé de vous prévenir~: sur {service}, l’offre {plan} peut maintenant être souscrite.",
				"Ce message ne sera pas répété. Rien n’est débité tant que vous n’avez pas choisi une offre."},
			button: "Voir les offres", path: "/account/plan",
		},
	},
}
