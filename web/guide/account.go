package guide

import (
	"arpent/auth/management"
	"arpent/web"
)

// accountPath is the page of the account API.
const accountPath = "/docs/account"

// AccountSamples are the programs of that page, and AccountAnswers the files with the answers that it
// shows. A test runs the programs, and compares the answers with those of the account API.
var (
	AccountShell   = Sample{File: "account.sh", Command: "bash account.sh"}
	AccountPython  = Sample{File: "account.py", Command: "python3 account.py"}
	AccountAnswers = []string{"account-usage.json", "account-keys.json", "account-organisation.json"}
)

var accountEntry = entry{web.Publication{Path: accountPath, Description: [2]string{
	"Lire la consommation, les clés et les membres d’un compte depuis un programme, avec un jeton de " +
		"gestion\u00a0: appels, réponses, limites.",
	"Read the usage, the keys and the members of an account from a program, with a management token: " +
		"calls, answers, limits."}},
	[2]string{"API du compte", "Account API"}, accountPage}

// accountOperation is an operation of the account API as the page lists it.
type accountOperation struct {
	path            string
	scope           management.Scope
	answer          string // file with an answer
	french, english string
}

var accountOperations = []accountOperation{
	{"/account/v1/usage", management.ReadUsage, AccountAnswers[0],
		"Les requêtes par jour de Paris, clé, opération et classe de statut, comme dans le fichier CSV de " +
			"la page Consommation. `from` et `to` bornent la période, 400 jours au plus\u00a0; sans eux, les " +
			"30 derniers jours. `keyId` vaut null pour la console de la documentation.",
		"Requests by day of Paris, key, operation and class of status, as in the CSV file of the page " +
			"Usage. `from` and `to` limit the period, to 400 days at most; without them it is the last 30 " +
			"days. `keyId` is null for the console of the documentation."},
	{"/account/v1/keys", management.ReadKeys, AccountAnswers[1],
		"Les clés en service ou suspendues, celles des assistants comprises, jamais leur secret\u00a0: qui " +
			"les a créées, quand elles ont servi, quand elles expirent.",
		"Keys that are live or paused, those of assistants included, never their secrets: who made them, " +
			"when they were used, when they expire."},
	{"/account/v1/organisation", management.ReadOrganisation, AccountAnswers[2],
		"Le nom, l’offre, les limites, le quota utilisé aujourd’hui et ce mois-ci, les membres et leur " +
			"rôle. `name` vaut null pour le compte d’une personne.",
		"Name, plan, limits, quota used today and this month, members and their roles. `name` is null for " +
			"the account of a person."},
}
