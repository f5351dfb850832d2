package view

import (
	"arpent/internal/mail"
	"arpent/web"
)

// RoleName is a role as people read it, in mails too.
func RoleName(l web.Lang, role string) string { return mail.RoleName(string(l), role) }

// Joined says that the visitor has become a member of the organisation that the page shows.
var Joined = [2]string{"Vous faites maintenant partie de cette organisation.", "You are now a member of this organisation."}

// roleTexts say what a role may do.
var roleTexts = web.Texts{
	"owner":     {"tout, y compris supprimer l’organisation et nommer des propriétaires", "everything, deleting the organisation and appointing owners included"},
	"admin":     {"les clés, les membres et les avis de quota", "keys, members and quota notices"},
	"developer": {"des clés personnelles et leur consommation", "personal keys and their usage"},
	"billing":   {"l’offre, les factures et les données fiscales\u00a0; aucune clé", "the plan, invoices and tax data; no keys"},
	"reader":    {"lit les listes et la consommation, ne change rien", "reads lists and usage, changes nothing"},
}

// RoleText says what a role may do.
func RoleText(l web.Lang, role string) string { return roleTexts.Of(l, role) }
