package pages

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/web"
)

// problemTexts say what is wrong and what to do, in French and in English.
var problemTexts = web.Texts{
	auth.CodeEmailInvalid: {"Ce n’est pas une adresse e-mail. Exemple : jeanne@exemple.fr.",
		"This is not an email address. Example: jane@example.org."},
	auth.CodeEmailSame: {"C’est déjà l’adresse de votre compte.",
		"This is your account’s address already."},
	auth.CodeTooShort: {"Il faut au moins 12\u00a0caractères.", "At least 12 characters are needed."},
	auth.CodeTooLong:  {"128\u00a0caractères au plus.", "128 characters at most."},
	auth.CodeTooCommon: {"Ce mot de passe est parmi les premiers que l’on essaie. Choisissez-en un autre.",
		"This password is among the first that people try. Choose another."},
	auth.CodeContainsEmail: {"Ce mot de passe reprend votre adresse. Choisissez-en un autre.",
		"This password repeats your address. Choose another."},
	auth.CodeTooSimple: {"Ce mot de passe se devine vite. Allongez-le ou rendez-le moins régulier.",
		"This password is guessed quickly. Make it longer or less regular."},
	auth.CodeBadText: {"Ce mot de passe contient des octets qui ne sont pas du texte.",
		"This password holds bytes that are not text."},
	auth.CodeSignIn:        {"L’adresse ou le mot de passe est faux, ou l’adresse n’est pas encore confirmée : suivez alors le lien reçu par e-mail.", "The address or the password is wrong, or the address is not confirmed yet: then follow the link sent by email."},
	auth.CodePasswordWrong: {"Ce n’est pas votre mot de passe.", "This is not your password."},
	auth.CodeCodeWrong:     {"Ce code est incorrect, ou a déjà servi. Saisissez le code suivant de l’application, ou un code de secours qui n’a pas servi.", "This code is wrong, or has already been used. Enter the application’s next code, or a recovery code not used yet."},
	auth.CodePendingOver: {"Cette connexion a pris trop de temps. Recommencez-la.",
		"This sign-in took too long. Start again."},
	auth.CodeBusy: {"Beaucoup de personnes se connectent en ce moment. Réessayez dans quelques secondes.",
		"Many people are signing in at this moment. Try again in a few seconds."},
	auth.CodeLinkInvalid: {"Ce lien a déjà servi, ou n’est plus valable. Demandez-en un nouveau.",
		"This link was used already, or has expired. Ask for a new one."},
	auth.CodeEnrolmentOver: {"Cette page était ouverte depuis trop longtemps. Recommencez avec le nouveau code affiché.", "This page was open for too long. Start again with the new code shown."},
	auth.CodeTOTPOn: {"La double authentification est déjà active.",
		"Two-factor authentication is on already."},
	auth.CodeTOTPOff: {"La double authentification n’est pas active.",
		"Two-factor authentication is off."},
	auth.CodeIdentityEmail: {"Ce fournisseur n’a pas donné votre adresse e-mail. Autorisez-le à la transmettre, ou connectez-vous autrement.", "This provider did not give your email address. Let it pass the address on, or sign in another way."},
	auth.CodeIdentityTaken: {"Cette identité est déjà reliée à un autre compte.",
		"This identity is linked to another account already."},
	auth.CodeLastWayIn: {"C’est votre seul moyen de vous connecter. Choisissez d’abord un mot de passe.",
		"This is your only way to sign in. Choose a password first."},
	auth.CodeOtherAccount: {"Ce lien a été demandé depuis un autre compte. Connectez-vous à celui-là pour l’utiliser.", "This link was requested from another account. Sign in to that one to use it."},
	auth.CodeNotYours: {"Cette identité n’est pas reliée à votre compte.",
		"This identity is not linked to your account."},
	auth.CodeLanguageUnknown: {"Choisissez le français ou l’anglais.", "Choose French or English."},
	auth.CodeOtherSession:    {"Ce lien a été demandé dans une autre session que celle-ci. Demandez-en un nouveau ici.", "This link was requested in another session. Ask for a new one here."},
	auth.CodeConfirmFirst: {"Confirmez d’abord votre adresse e-mail\u00a0: nous vous avons envoyé un lien.",
		"Confirm your email address first: we sent you a link."},
	auth.CodePercentInvalid: {"Un seuil est un nombre entier de 1 à 100.",
		"A threshold is a whole number from 1 to 100."},
	auth.CodePercentsMany: {"Trois seuils au plus.", "Three thresholds at most."},
	auth.CodeNoticesFull: {"La liste est pleine. Retirez d’abord une adresse.",
		"The list is full. Remove an address first."},
	auth.CodeNoticeKnown: {"Cette adresse reçoit déjà ces e-mails.",
		"This address gets these emails already."},
	auth.CodeNoticeRefused: {"Cette adresse a refusé ces e-mails de ce compte il y a moins de 30\u00a0jours, " +
		"ou vous l’avez retirée sans réponse il y a moins de 7\u00a0jours.",
		"This address refused these emails of this account less than 30 days ago, or you removed it without " +
			"an answer less than 7 days ago."},
	auth.CodeNameInvalid: {"Donnez un nom de 1 à 80\u00a0caractères visibles, avec une lettre ou un chiffre.",
		"Give a name of 1 to 80 visible characters, with a letter or a digit."},
	auth.CodeNameLink: {"Un nom ne contient pas d’adresse de site.", "A name does not contain the address of a site."},
	auth.CodeOpenRole: {"Seule la personne à qui l’invitation est adressée peut devenir propriétaire ou administrateur\u00a0: " +
		"décochez l’autre adresse.",
		"Only the person to whom it is sent can become an owner or an administrator: untick the other address."},
	auth.CodeRoleUnknown: {"Choisissez l’un des rôles proposés.", "Choose one of the roles offered."},
	auth.CodeLastOwner: {"Une organisation a toujours un propriétaire. Nommez-en d’abord un autre, ou supprimez l’organisation.",
		"An organisation always has an owner. Appoint another one first, or delete the organisation."},
	auth.CodeMemberKnown: {"Cette personne fait déjà partie de l’organisation.",
		"This person is a member of the organisation already."},
	auth.CodeMembersFull: {"Une organisation a 100 membres au plus, invitations comprises.",
		"An organisation has 100 members at most, invitations included."},
	auth.CodeOtherAddress: {"Cette invitation a été envoyée à une autre adresse que celle de votre compte.",
		"This invitation was sent to a different address than that of your account."},
	auth.CodeOrganisationsFull: {"Une personne possède cinq organisations au plus, et en crée cinq par jour au plus.",
		"A person owns at most five organisations, and creates at most five a day."},
	auth.CodePasskeyWrong: {"Cette passkey n’a pas été acceptée. Essayez-en une autre, ou connectez-vous autrement.",
		"This passkey was not accepted. Try another one, or sign in another way."},
	auth.CodePasskeyOver: {"Cette demande a pris trop de temps, ou a déjà servi. Recommencez.",
		"This request took too long, or was answered already. Start again."},
	auth.CodePasskeyCloned: {"Cette passkey a été refusée\u00a0: il en existe peut-être une copie. Connectez-vous autrement, " +
		"puis remplacez-la dans la page Sécurité.",
		"This passkey was refused: there may be a copy of it. Sign in another way, then replace it on the Security page."},
	auth.CodePasskeyNone: {"Ce compte n’a pas de passkey.", "This account has no passkey."},
	auth.CodePasskeysFull: {"Un compte a dix passkeys au plus. Supprimez-en une d’abord.",
		"An account has ten passkeys at most. Remove one first."},
	auth.CodePasskeysOff: {"L’adresse de ce service ne permet pas d’utiliser de passkey.",
		"Passkeys cannot be used at the address of this service."},
	auth.CodeFactorDate: {"Choisissez un jour à partir d’aujourd’hui, dans l’année qui vient.",
		"Choose a day from today on, within a year."},
	auth.CodeFactorFirst: {"Ajoutez d’abord un second facteur à votre compte, ou servez-vous de votre passkey dans cette session.",
		"First add a second factor to your account, or use your passkey in this session."},
	auth.CodeDomainInvalid: {"Ce n’est pas un domaine que l’on peut vérifier. Exemple : exemple.fr.",
		"This is not a domain that can be verified. Example: example.org."},
	auth.CodeDomainPublic: {"Les adresses de ce domaine sont celles d’un service de messagerie ouvert à tous.",
		"Addresses of this domain are of a mail service that is open to all."},
	auth.CodeDomainKnown: {"L’organisation a déjà ce domaine.", "The organisation has this domain already."},
	auth.CodeDomainsFull: {"Dix domaines au plus. Retirez-en un d’abord.", "Ten domains at most. Remove one first."},
	auth.CodeDomainTaken: {"L’enregistrement est là, mais une autre organisation a déjà fait vérifier ce domaine. " +
		"Elle doit d’abord le retirer, ou son enregistrement disparaître pendant 7 jours.",
		"The record is there, but another organisation has verified this domain already. It has to remove it first, " +
			"or its record be gone for 7 days."},
	auth.CodeDomainUnproven: {"L’enregistrement n’a pas été trouvé. Vérifiez son nom et sa valeur ; s’il vient d’être publié, réessayez dans quelques minutes.",
		"The record was not found. Check its name and value; if it was just published, try again in a few minutes."},
	auth.CodeDomainUnknown: {"Les serveurs de ce domaine n’ont pas répondu : rien n’est changé. Réessayez dans quelques minutes.",
		"The servers of this domain did not answer: nothing is changed. Try again in a few minutes."},
	auth.CodeAddressPending: {"Un changement d’adresse est en attente. Ouvrez d’abord le lien envoyé à la " +
		"nouvelle adresse, ou attendez qu’il expire, 24\u00a0heures après son envoi.",
		"A change of address is pending. First open the link that was sent to the new address, or wait until " +
			"it expires, 24 hours after it was sent."},
	auth.CodeJoiningUnknown: {"Choisissez l’une des possibilités proposées.", "Choose one of the possibilities offered."},
	auth.CodeChoosePassword: {"Choisissez votre mot de passe.", "Choose your password."},
	auth.CodeVerifyFirst:    {"Confirmez d’abord que c’est bien vous.", "Confirm first that it is you."},
}

// ProblemText says in the reader's language what is wrong and what to do.
func ProblemText(l web.Lang, p *auth.Problem) string {
	if p.Code == auth.CodeWait {
		return l.Pick("Trop d’essais. Réessayez dans ", "Too many attempts. Try again in ") + waitText(l,
			p.Wait) + "."
	}
	text, ok := problemTexts[p.Code]
	if !ok {
		return l.Pick("Cette valeur est refusée.", "This value is refused.")
	}
	return l.Pick(text[0], text[1])
}

// waitText rounds up: an attempt after that time is admitted.
func waitText(l web.Lang, d time.Duration) string {
	if d <= 90*time.Second {
		n := max(1, int((d+time.Second-1)/time.Second))
		return strconv.Itoa(n) + l.Pick("\u00a0s", " s")
	}
	if d > 2*time.Hour {
		return strconv.Itoa(int((d+time.Hour-1)/time.Hour)) + l.Pick("\u00a0h", " h")
	}
	return strconv.Itoa(int((d+time.Minute-1)/time.Minute)) + l.Pick("\u00a0min", " min")
}

// Again shows the page of a form again, with the status and the texts of what was wrong in it. Any other
// error is returned, and that a fresh proof of who one is has to be given first.
func (v *Visitor) Again(c *fiber.Ctx, err error, page Handler) error {
	problems := collectProblems(err)
	if len(problems) == 0 || problems[0].Code == auth.CodeVerifyFirst {
		return err
	}
	v.problems = problems
	SetStatus(c, v.problems[0])
	return page(c, v)
}

// Answer leads to another page after what a form did, or shows its page again with what was wrong in it.
func (v *Visitor) Answer(c *fiber.Ctx, err error, page Handler, to string) error {
	if err != nil {
		return v.Again(c, err, page)
	}
	return Redirect(c, to)
}

// collectProblems are those that an error holds: several where it is joined.
func collectProblems(err error) (all []*auth.Problem) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, collectProblems(e)...)
		}
	} else if p, ok := errors.AsType[*auth.Problem](err); ok {
		all = append(all, p)
	}
	return all
}

// Errors are the texts of what was wrong in a form, by field; the empty name stands for the whole form.
func (v *Visitor) Errors() map[string]string {
	texts := map[string]string{}
	for _, p := range v.problems {
		texts[p.Field] = ProblemText(v.Frame.Lang, p)
	}
	return texts
}

// SetStatus sets the status of a form that is shown again, and when to try again where that is known.
func SetStatus(c *fiber.Ctx, problem *auth.Problem) (status int) {
	switch problem.Code {
	case auth.CodeWait:
		status = fiber.StatusTooManyRequests
	case auth.CodeBusy:
		status = fiber.StatusServiceUnavailable
	default:
		status = fiber.StatusUnprocessableEntity
	}
	if problem.Wait > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(problem.Wait.Seconds()))))
	}
	c.Status(status)
	return status
}
