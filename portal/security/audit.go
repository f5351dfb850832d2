package security

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"arpent/auth"
	"arpent/internal/audit"
	"arpent/portal/keys"
	"arpent/portal/view"
	"arpent/web"
)

// auditTexts describes the audited actions, in French and in English.
var auditTexts = web.Texts{
	audit.ActionSignedUp:        {"Compte créé", "Account created"},
	audit.ActionConfirmed:       {"Adresse e-mail confirmée", "Email address confirmed"},
	audit.ActionSignedIn:        {"Connexion", "Signed in"},
	audit.ActionSignInFailed:    {"Connexion refusée", "Sign-in refused"},
	audit.ActionSignedOut:       {"Déconnexion", "Signed out"},
	audit.ActionReauthenticated: {"Identité prouvée de nouveau", "Identity proved again"},
	audit.ActionVerifyLinkAsked: {"Lien de confirmation d’identité demandé",
		"Identity confirmation link requested"},
	audit.ActionSessionEnded:    {"Session fermée", "Session closed"},
	audit.ActionSessionsEnded:   {"Sessions fermées", "Sessions closed"},
	audit.ActionPasswordChanged: {"Mot de passe changé", "Password changed"},
	audit.ActionPasswordReset: {"Mot de passe remplacé par un lien reçu par e-mail",
		"Password replaced through a link sent by email"},
	audit.ActionPasswordResetAsked: {"Lien de remplacement du mot de passe demandé",
		"Password reset link requested"},
	audit.ActionEmailChangeAsked: {"Changement d’adresse demandé", "Change of address requested"},
	audit.ActionEmailChanged:     {"Adresse e-mail changée", "Email address changed"},
	audit.ActionTOTPEnabled:      {"Double authentification activée", "Two-factor authentication turned on"},
	audit.ActionTOTPDisabled: {"Double authentification désactivée",
		"Two-factor authentication turned off"},
	audit.ActionTOTPRequired: {"Double authentification rendue obligatoire",
		"Two-factor authentication required"},
	audit.ActionTOTPNotRequired: {"Double authentification rendue facultative",
		"Two-factor authentication no longer required"},
	audit.ActionRecoveryCodeUsed:     {"Code de secours utilisé", "Recovery code used"},
	audit.ActionRecoveryCodesMade:    {"Codes de secours remplacés", "Recovery codes replaced"},
	audit.ActionIdentityLinked:       {"Identité reliée", "Identity linked"},
	audit.ActionIdentityUnlinked:     {"Identité déliée", "Identity unlinked"},
	audit.ActionPasskeyAdded:         {"Passkey ajoutée", "Passkey added"},
	audit.ActionPasskeyRenamed:       {"Passkey renommée", "Passkey renamed"},
	audit.ActionPasskeyRemoved:       {"Passkey supprimée", "Passkey removed"},
	audit.ActionPasskeyCloned:        {"Passkey refusée\u00a0: il en existe peut-être une copie", "Passkey refused: there may be a copy of it"},
	audit.ActionKeyCreated:           {"Clé créée", "Key created"},
	audit.ActionKeyRenamed:           {"Clé renommée", "Key renamed"},
	audit.ActionKeyRotated:           {"Clé remplacée", "Key rotated"},
	audit.ActionKeyPaused:            {"Clé suspendue", "Key paused"},
	audit.ActionKeyResumed:           {"Clé remise en service", "Key resumed"},
	audit.ActionKeyRevoked:           {"Clé révoquée", "Key revoked"},
	audit.ActionKeyRestricted:        {"Restrictions d’une clé changées", "Restrictions of a key changed"},
	audit.ActionTokenCreated:         {"Jeton de gestion créé", "Management token created"},
	audit.ActionTokenRevoked:         {"Jeton de gestion révoqué", "Management token revoked"},
	audit.ActionWebhookAdded:         {"Webhook ajouté", "Webhook added"},
	audit.ActionWebhookChanged:       {"Webhook changé", "Webhook changed"},
	audit.ActionWebhookSecret:        {"Secret d’un webhook remplacé", "Secret of a webhook replaced"},
	audit.ActionWebhookSent:          {"Événement envoyé à la main", "Event sent by hand"},
	audit.ActionWebhookOff:           {"Webhook désactivé après trois jours d’échecs", "Webhook switched off after failing for three days"},
	audit.ActionWebhookOn:            {"Webhook réactivé", "Webhook switched on again"},
	audit.ActionWebhookDeleted:       {"Webhook supprimé", "Webhook deleted"},
	audit.ActionLanguageChanged:      {"Langue changée", "Language changed"},
	audit.ActionNotificationsChanged: {"Avertissements changés", "Warnings changed"},
	audit.ActionNoticeAddressAdded: {"Lien envoyé à une adresse pour les avis de quota",
		"Link sent to an address for quota notices"},
	audit.ActionNoticeAddressConfirmed: {"Avis de quota acceptés par le destinataire",
		"Quota notices accepted by their recipient"},
	audit.ActionNoticeAddressRemoved: {"Adresse pour les avis de quota retirée",
		"Address for quota notices removed"},
	audit.ActionNoticeAddressStopped: {"Avis de quota refusés par le destinataire",
		"Quota notices refused by their recipient"},
	audit.ActionBillingRecipientAdded: {"Lien envoyé à une adresse pour les e-mails de facturation",
		"Link sent to an address for billing emails"},
	audit.ActionBillingRecipientConfirmed: {"E-mails de facturation acceptés par le destinataire",
		"Billing emails accepted by their recipient"},
	audit.ActionBillingRecipientRemoved: {"Adresse pour les e-mails de facturation retirée",
		"Address for billing emails removed"},
	audit.ActionBillingRecipientStopped: {"E-mails de facturation refusés par le destinataire",
		"Billing emails refused by their recipient"},
	audit.ActionOrganisationCreated:  {"Organisation créée", "Organisation created"},
	audit.ActionBecameOrganisation:   {"Compte devenu une organisation", "Account became an organisation"},
	audit.ActionOrganisationRenamed:  {"Organisation renommée", "Organisation renamed"},
	audit.ActionContactChanged:       {"Adresse de l’organisation changée", "Address of the organisation changed"},
	audit.ActionMemberInvited:        {"Personne invitée", "Person invited"},
	audit.ActionInvitationResent:     {"Invitation envoyée de nouveau", "Invitation sent again"},
	audit.ActionInvitationWithdrawn:  {"Invitation retirée", "Invitation withdrawn"},
	audit.ActionMemberJoined:         {"Membre arrivé", "Member joined"},
	audit.ActionMemberRoleChanged:    {"Rôle d’un membre changé", "Role of a member changed"},
	audit.ActionMemberRemoved:        {"Membre retiré", "Member removed"},
	audit.ActionMemberLeft:           {"Membre parti", "Member left"},
	audit.ActionMemberFactorRequired: {"Second facteur exigé des membres", "Second factor required of members"},
	audit.ActionMemberFactorReleased: {"Second facteur des membres rendu facultatif", "Second factor of members no longer required"},
	audit.ActionDomainAdded:          {"Domaine ajouté", "Domain added"},
	audit.ActionDomainProven:         {"Domaine vérifié", "Domain verified"},
	audit.ActionDomainLost:           {"Domaine qui n’est plus vérifié", "Domain no longer verified"},
	audit.ActionDomainRemoved:        {"Domaine retiré", "Domain removed"},
	audit.ActionJoiningChanged:       {"Adhésion par un domaine changée", "Joining by a domain changed"},
	audit.ActionJoinRequested:        {"Adhésion demandée", "Membership requested"},
	audit.ActionJoinDeclined:         {"Adhésion refusée", "Membership declined"},

	audit.ActionExported:       {"Données exportées", "Data exported"},
	audit.ActionLimitsChanged:  {"Limites changées", "Limits changed"},
	audit.ActionMailRetried:    {"E-mail envoyé de nouveau", "Email sent again"},
	audit.ActionAccountDeleted: {"Compte supprimé", "Account deleted"},

	audit.ActionTOTPRecoveryStarted: {"Lien pour un second facteur perdu envoyé",
		"Link for a lost second factor sent"},
	audit.ActionTOTPRecoveryProved: {"Second facteur déclaré perdu par un lien reçu par e-mail",
		"Second factor reported lost through a link sent by email"},
	audit.ActionTOTPRecoveryCancelled: {"Second facteur retrouvé\u00a0: il reste actif",
		"Second factor found: it stays on"},

	// Actions recorded by package billing.
	"plan_changed":         {"Offre changée", "Plan changed"},
	"reserve_chosen":       {"Réserve fixée", "Reserve set"},
	"plan_cancel_asked":    {"Résiliation demandée", "Cancellation asked for"},
	"plan_change_asked":    {"Changement d’offre demandé", "Change of plan requested"},
	"plan_resume_asked":    {"Offre gardée", "Plan kept"},
	"plan_granted":         {"Offre accordée", "Plan granted"},
	"plan_wished":          {"Avis d’ouverture d’une offre demandé", "Notice about a plan requested"},
	"plan_wish_removed":    {"Avis d’ouverture d’une offre annulé", "Notice about a plan cancelled"},
	"plan_wish_notified":   {"Avis d’ouverture d’une offre envoyé", "Notice about a plan sent"},
	"subscription_changed": {"Abonnement changé", "Subscription changed"},
}

// activityKind is a kind of acts that the activity is filtered by.
type activityKind struct {
	name, french, english string
	actions               []string
}

// signInKind is the kind of audit.SignInActions, which the page of an organisation does not show.
const signInKind = "signin"

// activityKinds are all kinds; each action is of one.
var activityKinds = []activityKind{
	{"keys", "Clés et jetons", "Keys and tokens", []string{audit.ActionKeyCreated, audit.ActionKeyRenamed,
		audit.ActionKeyRotated, audit.ActionKeyPaused, audit.ActionKeyResumed, audit.ActionKeyRevoked,
		audit.ActionKeyRestricted, audit.ActionTokenCreated, audit.ActionTokenRevoked}},
	{"webhooks", "Webhooks", "Webhooks", []string{audit.ActionWebhookAdded, audit.ActionWebhookChanged,
		audit.ActionWebhookSecret, audit.ActionWebhookSent, audit.ActionWebhookOff, audit.ActionWebhookOn,
		audit.ActionWebhookDeleted}},
	{"members", "Membres", "Members", []string{audit.ActionOrganisationCreated, audit.ActionMemberInvited,
		audit.ActionInvitationResent, audit.ActionInvitationWithdrawn, audit.ActionMemberJoined,
		audit.ActionMemberRoleChanged, audit.ActionMemberRemoved, audit.ActionMemberLeft, audit.ActionJoinRequested,
		audit.ActionJoinDeclined}},
	{"plan", "Offre et paiement", "Plan and payment", []string{"plan_changed", "plan_cancel_asked",
		"plan_change_asked", "plan_resume_asked", "plan_granted", "plan_wished", "plan_wish_removed",
		"plan_wish_notified", "subscription_changed", "reserve_chosen", audit.ActionLimitsChanged,
		audit.ActionBillingRecipientAdded, audit.ActionBillingRecipientConfirmed,
		audit.ActionBillingRecipientRemoved, audit.ActionBillingRecipientStopped}},
	{"settings", "Réglages", "Settings", []string{audit.ActionBecameOrganisation,
		audit.ActionOrganisationRenamed, audit.ActionContactChanged,
		audit.ActionLanguageChanged, audit.ActionNotificationsChanged, audit.ActionNoticeAddressAdded,
		audit.ActionNoticeAddressConfirmed, audit.ActionNoticeAddressRemoved, audit.ActionNoticeAddressStopped,
		audit.ActionMemberFactorRequired, audit.ActionMemberFactorReleased, audit.ActionDomainAdded,
		audit.ActionDomainProven, audit.ActionDomainLost, audit.ActionDomainRemoved, audit.ActionJoiningChanged,
		audit.ActionExported, audit.ActionMailRetried, audit.ActionAccountDeleted}},
	{signInKind, "Connexion et sécurité", "Sign-in and security", audit.SignInActions},
}

// actionsOf returns the actions of a kind; nil: there is no such kind.
func actionsOf(kind string) []string {
	for _, k := range activityKinds {
		if k.name == kind {
			return k.actions
		}
	}
	return nil
}

// auditActor returns who acted, unless it was the account's owner, or the details say it.
func auditActor(l web.Lang, e audit.Entry) string {
	by, _ := e.Detail[audit.DetailBy].(string)
	switch {
	case e.Actor == audit.ActorAccount && by != "":
		return l.Pick("par ", "by ") + by
	case e.Actor == audit.ActorOperator:
		return l.Pick("par l’exploitant", "by the operator")
	case e.Actor == audit.ActorSystem && e.Detail["reason"] != "client":
		return l.Pick("par le service", "by the service")
	}
	return ""
}

// auditDetail returns the details of an event as text. provider returns the name of a provider.
func auditDetail(l web.Lang, e audit.Entry, provider func(string) string) string {
	var texts []string
	for _, key := range auditDetails {
		if value, ok := e.Detail[key]; ok {
			text := detailText(l, e.Action, key, value, provider)
			switch {
			case text == "":
			case key == "to" && len(texts) > 0:
				texts[len(texts)-1] += " " + text
			default:
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, ", ")
}

// auditDetails are the details shown, in order.
var auditDetails = []string{"name", "domain", "joining", "starts", "scopes", "reason", "old_name", "until", "method", "provider", "email", "old_role", "role",
	"plan", "from", "to", "status", "ends", "paid_until", "next", "left", "count", "language", "quota_mails",
	"quota_percents", "per_minute", "enrichments_per_minute", "per_day", "per_month"}

// statusTexts describe the states of a subscription that are shown.
var statusTexts = web.Texts{
	"past_due": {"paiement échoué", "payment failed"}, "unpaid": {"paiement échoué", "payment failed"},
	"canceled":           {"abonnement terminé", "subscription ended"},
	"incomplete_expired": {"abonnement terminé", "subscription ended"},
}

// joiningTexts describe who can join by an address of a domain.
var joiningTexts = web.Texts{
	"off": {"personne ne peut rejoindre", "no one can join"}, "approval": {"sur demande", "on request"},
	"open": {"sans demande", "without a request"},
}

var languageNames = web.Texts{"fr": {"français", "French"}, "en": {"anglais", "English"}}

func detailText(l web.Lang, action, key string, value any, provider func(string) string) string {
	text := fmt.Sprint(value)
	n, _ := value.(float64)
	at, noTime := time.Parse(time.RFC3339, text)
	plan := text
	if strings.HasPrefix(action, "plan_") {
		plan = l.Plan(text)
	}
	switch {
	case key == "name":
		return l.Pick("«\u00a0", "“") + text + l.Pick("\u00a0»", "”")
	case key == "reason" && action == audit.ActionKeyRevoked: // one of our words; that of an operator is a text
		return keys.EndTexts.Of(l, text)
	case key == "domain":
		return text
	case key == "joining":
		return joiningTexts.Of(l, text)
	case key == "starts" && noTime == nil:
		return l.Pick("à partir du ", "from ") + l.Day(at)
	case key == "role":
		return view.RoleName(l, text)
	case key == "old_role":
		return l.Pick("avant\u00a0: ", "before: ") + view.RoleName(l, text)
	case key == "scopes":
		return formatScopes(l, value)
	case key == "old_name":
		return l.Pick("avant\u00a0: ", "before: ") + text
	case key == "until" && noTime == nil:
		return l.Pick("l’ancienne sert jusqu’au ", "the old one works until ") + l.DateTime(at)
	case key == "method":
		return auditMethod(l, action, text, provider)
	case key == "provider":
		return provider(text)
	case key == "email" || key == "reason":
		return text
	case key == "plan":
		return plan
	case key == "from":
		return l.Pick("de ", "from ") + plan
	case key == "to":
		return l.Pick("à ", "to ") + plan
	case key == "status":
		return statusTexts.Of(l, text)
	case key == "ends" && noTime == nil:
		return l.Pick("se termine le ", "ends on ") + l.Day(at)
	case key == "paid_until" && noTime == nil:
		return l.Pick("payée jusqu’au ", "paid until ") + l.Day(at)
	case key == "next":
		return l.Pick("ensuite ", "then ") + l.Plan(text)
	case key == "per_month":
		return view.Count(l, int(n), "requête par mois", "requêtes par mois", "request a month", "requests a month")
	case action == audit.ActionLimitsChanged:
		if value == nil {
			return limitTexts.Of(l, key) + l.Pick("celle de l’offre", "the plan’s")
		}
		return limitTexts.Of(l, key) + l.Number(int(n))
	case key == "left":
		return view.Count(l, int(n), "code restant", "codes restants", "code left", "codes left")
	case key == "count":
		return l.Count(int(n), "session", "session")
	case key == "language":
		return languageNames.Of(l, text)
	case key == "quota_mails" && value == true:
		return l.Pick("quota\u00a0: oui", "quota: yes")
	case key == "quota_percents":
		return formatPercents(l, value)
	case key == "quota_mails":
		return l.Pick("quota\u00a0: non", "quota: no")
	}
	return ""
}

// limitTexts describe the limits that the operator grants.
var limitTexts = web.Texts{
	"per_minute": {"par minute\u00a0: ", "a minute: "}, "per_day": {"par jour\u00a0: ", "a day: "},
	"enrichments_per_minute": {"enrichissements par minute\u00a0: ", "enrichments a minute: "},
}

// auditMethod returns the sign-in method, or the reason of a failure.
func auditMethod(l web.Lang, action, method string, provider func(string) string) string {
	failed := action == audit.ActionSignInFailed
	switch {
	case method == "password" && failed:
		return l.Pick("mot de passe faux", "wrong password")
	case method == "code" && failed:
		return l.Pick("code erroné", "wrong code")
	case method == auth.MethodPasskey && failed:
		return l.Pick("passkey refusée", "passkey refused")
	case method == auth.MethodPasskey:
		return l.Pick("par passkey", "by passkey")
	case method == "password":
		return l.Pick("par mot de passe", "by password")
	case method == "code":
		return l.Pick("par code", "by code")
	case method == "mail":
		return l.Pick("par un lien reçu par e-mail", "by a link sent by email")
	}
	return l.Pick("par ", "by ") + provider(method)
}

// formatScopes formats the scopes of a management token.
func formatScopes(l web.Lang, value any) string {
	list, _ := value.([]any)
	texts := make([]string, 0, len(list))
	for _, scope := range list {
		texts = append(texts, view.ScopeName(l, fmt.Sprint(scope)))
	}
	return l.Pick("lit\u00a0: ", "reads: ") + strings.Join(texts, ", ")
}

// formatPercents formats a list of percentages.
func formatPercents(l web.Lang, value any) string {
	list, _ := value.([]any)
	texts := make([]string, 0, len(list))
	for _, percent := range list {
		n, _ := percent.(float64)
		texts = append(texts, strconv.Itoa(int(n))+l.Pick("\u00a0%", "%"))
	}
	return strings.Join(texts, ", ")
}
