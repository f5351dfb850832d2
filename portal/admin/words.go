package admin

import (
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/portal/view"
	"arpent/web"
)

// both is a text in French and in English.
type both [2]string

func (b both) in(l web.Lang) string { return l.Pick(b[0], b[1]) }

// Act is the data of the page that asks for confirmation before something is done.
type Act struct {
	Frame       web.Frame
	Tab         string
	Back        string // path of the page before
	BackName    string
	Words       actWords
	Subject     string
	Code        string // what else names it; empty: nothing
	Action      string // path that the form is sent to
	Unconfirmed bool   // it was sent without the tick
	Problem     string // why it cannot be done; empty: it was not tried

	AsksReason, AsksAddress       bool
	Reason, Typed                 string // as typed
	IsReasonWrong, IsAddressWrong bool
	Organisation                  string // whose name is typed in place of an address; empty: a person's account
}

// actWords are the texts of an act.
type actWords struct{ Heading, Effect, Word, Button both }

var signOutWords = actWords{
	Heading: both{"Fermer toutes ses sessions\u00a0?", "Close all its sessions?"},
	Effect: both{"Le compte est déconnecté de tous ses navigateurs. Ses clés et ses assistants continuent de fonctionner.",
		"The account is signed out of all its browsers. Its keys and assistants keep working."},
	Button: both{"Fermer ses sessions", "Close its sessions"},
}

// keyActWords are the texts of what is done with keys.
var keyActWords = map[string]actWords{
	revokeAct.name: {
		Heading: both{"Révoquer cette clé\u00a0?", "Revoke this key?"},
		Effect: both{"Chaque programme qui la présente est refusé en moins d’une seconde, partout. Une clé révoquée ne peut pas être rétablie.",
			"Every program that sends it is refused within a second, everywhere. A revoked key cannot be restored."},
		Word: both{"Révoquer", "Revoke"}, Button: both{"Révoquer la clé", "Revoke the key"},
	},
	pauseAct.name: {
		Heading: both{"Suspendre cette clé\u00a0?", "Pause this key?"},
		Effect: both{"Chaque programme qui la présente est refusé jusqu’à ce qu’elle soit réactivée.",
			"Every program that sends it is refused until it is resumed."},
		Word: both{"Suspendre", "Pause"}, Button: both{"Suspendre la clé", "Pause the key"},
	},
	resumeAct.name: {
		Heading: both{"Réactiver cette clé\u00a0?", "Resume this key?"},
		Effect: both{"Les programmes qui l’utilisent sont acceptés de nouveau.",
			"Programs that send it are accepted again."},
		Word: both{"Réactiver", "Resume"}, Button: both{"Réactiver la clé",
			"Resume the key"},
	},
}

var exportWords = actWords{
	Heading: both{"Exporter les données du compte\u00a0?", "Export the data of the account?"},
	Effect: both{"Le fichier contient tout ce qui est gardé du compte, sans aucun secret, comme celui que télécharge son titulaire. N’envoyez ce fichier qu’à l’adresse du compte.",
		"The file holds everything that is kept about the account and no secret, like the one that its owner downloads. Send it to the address of the account only."},
	Button: both{"Exporter", "Export"},
}

var deleteWords = actWords{
	Heading: both{"Supprimer ce compte\u00a0?", "Delete this account?"},
	Effect: both{"Tout disparaît à l’instant, sans retour possible\u00a0: ses clés sont refusées en moins d’une seconde, son abonnement est résilié chez Stripe. Le titulaire reçoit un e-mail avec le motif.",
		"Everything goes at once and for good: its keys are refused within a second, its subscription is cancelled at Stripe. The owner gets an email with the reason."},
	Button: both{"Supprimer le compte", "Delete the account"},
}

var recoverWords = actWords{
	Heading: both{"Second facteur perdu\u00a0?", "Lost second factor?"},
	Effect: both{"Un lien part à l’adresse du compte. Trois jours après qu’il a été suivi, le second facteur est désactivé et les sessions sont fermées. Un code utilisé avant annule tout.",
		"A link goes to the address of the account. Three days after it was followed, the second factor is turned off and the sessions are closed. A code that is used before cancels all of it."},
	Button: both{"Envoyer le lien", "Send the link"},
}

// Why an act is not possible for this account.
var (
	noFactorText = both{"C’est impossible\u00a0: le compte n’a pas de second facteur, ou son adresse n’est pas confirmée.",
		"This is not possible: the account has no second factor, or its address is not confirmed."}
	noStripeText = both{"C’est impossible\u00a0: le compte est client de Stripe, ce serveur n’en a pas de clé, et son abonnement continuerait.",
		"This is not possible: the account is a customer at Stripe, this server has no Stripe key, and the subscription would go on."}
)

// retryProblem is shown where a mail cannot be sent again.
var retryProblem = both{"Cet e-mail ne peut pas être envoyé de nouveau\u00a0: il n’a pas échoué, ou son lien n’est plus valable.",
	"This email cannot be sent again: it has not failed, or its link has expired."}

var retryWords = actWords{
	Heading: both{"Envoyer cet e-mail de nouveau\u00a0?", "Send this email again?"},
	Effect:  both{"Il attend d’être envoyé, comme un nouvel e-mail.", "It waits to be sent, like a new mail."},
	Word:    both{"Envoyer de nouveau", "Send again"}, Button: both{"Envoyer de nouveau", "Send again"},
}

func signOutAct(f web.Frame, a auth.Account) Act {
	return Act{Frame: f, Tab: view.AdminAccounts, Back: accountPath(a.ID, ""),
		BackName: a.Email, Words: signOutWords,
		Subject: a.Email,
		Action:  accountPath(a.ID, "/sign-out")}
}

func keyPage(f web.Frame, a auth.Account, k apikey.Key, name string) Act {
	return Act{Frame: f, Tab: view.AdminAccounts, Back: accountPath(a.ID, ""),
		BackName: a.Email,
		Words:    keyActWords[name], Subject: k.Name,
		Code: k.Prefix + "…" + k.Last4, Action: keyPath(a.ID, k.ID, name)}
}

func keyPath(a ident.AccountID, k ident.KeyID, name string) string {
	return accountPath(a, "/keys/"+id(int64(k))+"/"+name)
}

func retryAct(f web.Frame, m mail.Entry) Act {
	return Act{Frame: f, Tab: view.AdminMails, Back: "/admin/mails?failed=1", BackName: f.Lang.Pick("E-mails",
		"Emails"), Words: retryWords, Subject: m.To,
		Code: string(m.Template), Action: "/admin/mails/" + id(m.ID) + "/retry"}
}

// Limits is the data of the page on which the limits of an account are changed.
type Limits struct {
	Frame                                web.Frame
	Account                              Holder
	PerMinute, Enrichments, PerDay, Note string // as typed; an empty limit is that of the plan
	Confirmed                            bool
	Problem                              string // the field that is wrong, or range; empty: none
}

var limitProblems = web.Texts{
	"per_minute":  {"Un nombre entier, 1 ou plus, ou rien.", "A whole number, 1 or more, or nothing."},
	"enrichments": {"Un nombre entier, 1 ou plus, ou rien.", "A whole number, 1 or more, or nothing."},
	"per_day":     {"Un nombre entier, 1 ou plus, ou rien.", "A whole number, 1 or more, or nothing."},
	"note":        {"Dites pourquoi, en 500\u00a0caractères au plus.", "Say why, in 500 characters at most."},
	"range":       {"Une limite va de 1 à 10\u202f000\u202f000.", "A limit is 1 to 10,000,000."},
}

func (p Limits) at(field string) string {
	if p.Problem != field {
		return ""
	}
	return limitProblems.Of(p.Frame.Lang, field)
}

// counted agrees with a number of requests, in French.
func counted(n int64) string {
	if n < 2 {
		return " comptée sur "
	}
	return " comptées sur "
}
