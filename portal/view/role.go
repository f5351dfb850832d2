package view

import "arpent/web"

// roleNames are the roles in an organisation, as people read them.
var roleNames = web.Texts{"owner": {"propriétaire", "owner"}, "admin": {"administrateur", "administrator"},
	"developer": {"développeur", "developer"}, "billing": {"facturation", "billing"},
	"reader": {"lecture", "reader"}}

// RoleName is a role as people read it.
func RoleName(l web.Lang, role string) string { return roleNames.Of(l, role) }

// roleTexts say what a role may do.
var roleTexts = web.Texts{
	"owner":     {"tout, y compris supprimer l’organisation et nommer des propriétaires", "everything, deleting the organisation and appointing owners included"},
	"admin":     {"les clés, les membres et les avis de quota", "keys, members and quota notices"},
	"developer": {"ses propres clés et leur consommation", "their own keys and the usage of these"},
	"billing":   {"l’offre, les factures et les données fiscales\u00a0; aucune clé", "the plan, invoices and tax data; no keys"},
	"reader":    {"lit les listes et la consommation, ne change rien", "reads lists and usage, changes nothing"},
}

// RoleText says what a role may do.
func RoleText(l web.Lang, role string) string { return roleTexts.Of(l, role) }
