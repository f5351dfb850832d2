package view

import (
	"fmt"
	"strings"
	"time"

	"arpent/app/base/audit"
	"arpent/web"
)

// auditTexts describes the audited actions, in French and in English.
var auditTexts = map[string][2]string{
	audit.ActionSignedUp:             {"Compte créé", "Account created"},
	audit.ActionConfirmed:            {"Adresse e-mail confirmée", "E-mail address confirmed"},
	audit.ActionSignedIn:             {"Connexion", "Signed in"},
	audit.ActionSignInFailed:         {"Connexion refusée", "Sign-in refused"},
	audit.ActionSignedOut:            {"Déconnexion", "Signed out"},
	audit.ActionReauthenticated:      {"Identité prouvée de nouveau", "Identity proved again"},
	audit.ActionSessionEnded:         {"Session fermée", "Session closed"},
	audit.ActionSessionsEnded:        {"Sessions fermées", "Sessions closed"},
	audit.ActionPasswordChanged:      {"Mot de passe changé", "Password changed"},
	audit.ActionPasswordReset:        {"Mot de passe remplacé par un lien reçu par e-mail", "Password replaced through a link sent by mail"},
	audit.ActionPasswordResetAsked:   {"Lien de remplacement du mot de passe demandé", "Link to replace the password asked for"},
	audit.ActionEmailChangeAsked:     {"Changement d’adresse demandé", "Change of address asked for"},
	audit.ActionEmailChanged:         {"Adresse e-mail changée", "E-mail address changed"},
	audit.ActionTOTPEnabled:          {"Double authentification activée", "Two-factor authentication turned on"},
	audit.ActionTOTPDisabled:         {"Double authentification désactivée", "Two-factor authentication turned off"},
	audit.ActionRecoveryCodeUsed:     {"Code de secours utilisé", "Recovery code used"},
	audit.ActionRecoveryCodesMade:    {"Codes de secours remplacés", "Recovery codes replaced"},
	audit.ActionIdentityLinked:       {"Identité reliée", "Identity linked"},
	audit.ActionIdentityUnlinked:     {"Identité déliée", "Identity unlinked"},
	audit.ActionKeyCreated:           {"Clé créée", "Key created"},
	audit.ActionKeyRenamed:           {"Clé renommée", "Key renamed"},
	audit.ActionKeyRotated:           {"Clé remplacée", "Key rotated"},
	audit.ActionKeyPaused:            {"Clé suspendue", "Key paused"},
	audit.ActionKeyResumed:           {"Clé remise en service", "Key resumed"},
	audit.ActionKeyRevoked:           {"Clé révoquée", "Key revoked"},
	audit.ActionKeyRestricted:        {"Restrictions d’une clé changées", "Restrictions of a key changed"},
	audit.ActionLanguageChanged:      {"Langue changée", "Language changed"},
	audit.ActionNotificationsChanged: {"Avertissements changés", "Warnings changed"},
	audit.ActionExported:             {"Données exportées", "Data exported"},
	audit.ActionAccountDeleted:       {"Compte supprimé", "Account deleted"},
	// Actions recorded by package billing.
	"plan_changed":         {"Offre changée", "Plan changed"},
	"plan_granted":         {"Offre accordée", "Plan granted"},
	"subscription_changed": {"Abonnement changé", "Subscription changed"},
}

// AuditText returns the description of an action. An unknown action, of a newer version, is shown by its name.
func AuditText(l web.Lang, action string) string {
	text, ok := auditTexts[action]
	if !ok {
		return action
	}
	return l.Pick(text[0], text[1])
}

// AuditActor returns who acted, unless it was the account's owner.
func AuditActor(l web.Lang, actor string) string {
	switch actor {
	case audit.ActorOperator:
		return l.Pick("par l’exploitant", "by the operator")
	case audit.ActorSystem:
		return l.Pick("par le service", "by the service")
	}
	return ""
}

// AuditDetail returns the details of an event as text. provider returns the name of a provider.
func AuditDetail(l web.Lang, e audit.Entry, provider func(string) string) string {
	var said []string
	for _, d := range auditDetails {
		if value, ok := e.Detail[d.key]; ok {
			if text := d.say(l, e.Action, value, provider); text != "" {
				said = append(said, text)
			}
		}
	}
	return strings.Join(said, ", ")
}

// auditDetails lists the details shown, in order.
var auditDetails = []struct {
	key string
	say func(l web.Lang, action string, value any, provider func(string) string) string
}{
	{"name", func(l web.Lang, _ string, value any, _ func(string) string) string {
		return l.Pick("«\u00a0", "“") + words(value) + l.Pick("\u00a0»", "”")
	}},
	{"old_name", func(l web.Lang, _ string, value any, _ func(string) string) string {
		return l.Pick("avant\u00a0: ", "before: ") + words(value)
	}},
	{"until", func(l web.Lang, _ string, value any, _ func(string) string) string {
		at, err := time.Parse(time.RFC3339, words(value))
		if err != nil {
			return ""
		}
		return l.Pick("l’ancienne sert jusqu’au ", "the old one works until ") + l.DateTime(at)
	}},
	{"method", auditMethod},
	{"provider", func(_ web.Lang, _ string, value any, provider func(string) string) string {
		return provider(words(value))
	}},
	{"email", func(_ web.Lang, _ string, value any, _ func(string) string) string { return words(value) }},
	{"from", func(l web.Lang, action string, value any, _ func(string) string) string {
		return l.Pick("de ", "from ") + planOrWords(action, value)
	}},
	{"to", func(l web.Lang, action string, value any, _ func(string) string) string {
		return l.Pick("à ", "to ") + planOrWords(action, value)
	}},
	{"status", func(l web.Lang, _ string, value any, _ func(string) string) string {
		switch words(value) {
		case "past_due", "unpaid":
			return l.Pick("paiement échoué", "payment failed")
		case "canceled", "incomplete_expired":
			return l.Pick("abonnement terminé", "subscription ended")
		}
		return ""
	}},
	{"ends", func(l web.Lang, _ string, value any, _ func(string) string) string {
		at, err := time.Parse(time.RFC3339, words(value))
		if err != nil {
			return ""
		}
		return l.Pick("se termine le ", "ends on ") + l.Day(at)
	}},
	{"next", func(l web.Lang, _ string, value any, _ func(string) string) string {
		return l.Pick("ensuite ", "then ") + web.PlanName(words(value))
	}},
	{"left", func(l web.Lang, _ string, value any, _ func(string) string) string {
		n, _ := value.(float64)
		return count(l, int(n), "code restant", "codes restants", "code left", "codes left")
	}},
	{"count", func(l web.Lang, _ string, value any, _ func(string) string) string {
		n, _ := value.(float64)
		return l.Count(int(n), "session", "session")
	}},
	{"language", func(l web.Lang, _ string, value any, _ func(string) string) string {
		return map[string]string{"fr": l.Pick("français", "French"), "en": l.Pick("anglais", "English")}[words(value)]
	}},
	{"quota_mails", func(l web.Lang, _ string, value any, _ func(string) string) string {
		if value == true {
			return l.Pick("quota\u00a0: oui", "quota: yes")
		}
		return l.Pick("quota\u00a0: non", "quota: no")
	}},
}

// planOrWords returns the name of a plan for actions about plans.
func planOrWords(action string, value any) string {
	if strings.HasPrefix(action, "plan_") {
		return web.PlanName(words(value))
	}
	return words(value)
}

// auditMethod returns the sign-in method, or the reason of a failure.
func auditMethod(l web.Lang, action string, value any, provider func(string) string) string {
	failed := action == audit.ActionSignInFailed
	switch method := words(value); {
	case method == "password" && failed:
		return l.Pick("mot de passe faux", "wrong password")
	case method == "code" && failed:
		return l.Pick("code faux", "wrong code")
	case method == "password":
		return l.Pick("par mot de passe", "by password")
	case method == "code":
		return l.Pick("par code", "by code")
	default:
		return l.Pick("par ", "by ") + provider(method)
	}
}

func words(value any) string { return fmt.Sprint(value) }
