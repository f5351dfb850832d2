package public

import (
	"net/http"
	"strconv"

	"arpent/internal/fault"
	"arpent/web"
)

// errorCode documents an error code of the API, in French and in English. The API links to its
// section on the page, whose id is the code.
type errorCode struct {
	code            fault.Code
	meaning, remedy [2]string
}

func (e errorCode) statusText() string {
	n := e.code.Status()
	return strconv.Itoa(n) + " " + http.StatusText(n)
}

func pickText(l web.Lang, text [2]string) string { return l.Pick(text[0], text[1]) }

var errorCodes = []errorCode{
	{fault.InvalidParameter, [2]string{
		"Un paramètre manque, est mal formé, est donné deux fois, ou include contient une valeur que cette opération ne connaît pas. Un paramètre qu’elle ne connaît pas est ignoré.",
		"A parameter is missing, malformed, given twice, or holds an include value that this endpoint does not know. " +
			"A parameter that it does not know is ignored."}, [2]string{
		"Lisez le message\u00a0: il nomme le paramètre et ce qui était attendu, et donne l’appel qui convient à un code écrit autrement (1004 pour 01004). La même requête sera refusée de nouveau.",
		"Read the message: it names the parameter and what was expected, and the call for a code that is written " +
			"in another way (1004 for 01004). The same request will be refused again."}},
	{fault.MissingAPIKey, [2]string{
		"La requête ne porte pas de clé. Seul l’index, /api/v1, se lit sans clé.",
		"The request carries no key. Only the index, /api/v1, can be read without one."}, [2]string{
		"Envoyez la clé dans l’en-tête X-API-Key. Une valeur vide compte comme absente.",
		"Send the key in the header X-API-Key. An empty value counts as absent."}},
	{fault.InvalidAPIKey, [2]string{
		"La clé est inconnue, révoquée, expirée ou suspendue, ou son propriétaire ne l’admet pas dans une adresse ou depuis le réseau d’où vient la requête.",
		"The key is unknown, revoked, expired or paused, or its owner does not allow it in an address or from the network " +
			"that the request came from."}, [2]string{
		"Lisez le message\u00a0: il dit laquelle de ces raisons, sauf pour les clés inconnues, révoquées et expirées, refusées toutes de la même façon. Vérifiez que la clé a été copiée en entier (elle commence par arp_), ou utilisez-en une autre. Une adresse qui présente sans cesse des clés refusées est ralentie.",
		"Read the message: it says which, except for unknown, revoked and expired keys, which all get the same refusal. Check that " +
			"the whole key was copied (it begins with arp_), or use another one. An address that keeps sending refused keys " +
			"is slowed down."}},
	{fault.NotFound, [2]string{
		"Cette région, ce département, cette commune, cette parcelle ou ce chemin n’existe pas, ou n’est pas chargé sur ce serveur. Les codes d’outre-mer (971 à 974 et 976) ne sont pas dans la liste des départements, et les collectivités d’outre-mer (975, 977 et au-delà) ne sont pas couvertes.",
		"There is no such région, département, commune, parcel or path, or it is not loaded on this server. Overseas codes (971 to 974 and 976) " +
			"are not in the list of départements, and the overseas " +
			"collectivities (975, 977 and above) are not covered."}, [2]string{
		"Lisez le message\u00a0: il dit si la commune n’existe pas, si ses parcelles ne sont pas chargées ou ne le sont qu’en partie, ou si la parcelle seule est inconnue\u00a0; ce qui a remplacé un code ou une parcelle disparus\u00a0; quelles communes dessert un code postal\u00a0; et quelle commune est la plus proche d’un point à l’étranger ou en mer, et quelle parcelle d’un point hors parcelle.",
		"Read the message: it says whether there is no such commune, its parcels are not loaded or only a part of them, or the parcel " +
			"alone is unknown; what replaced a code or parcel that no longer exists; which communes a postcode serves; which " +
			"commune is nearest to a point abroad or at sea; and which parcel is nearest to a point outside all parcels."}},
	{fault.RateLimited, [2]string{
		"Le compte a atteint sa limite de requêtes sur 60\u00a0secondes. Sans clé valable, la limite est celle de l’adresse du client.",
		"The account has reached its limit of requests within 60 seconds. Without a valid key the limit " +
			"is that of the client's address."}, [2]string{
		"Attendez le nombre de secondes que dit Retry-After. Un programme qui répartit ses requêtes dans la minute n’est jamais refusé.",
		"Wait as many seconds as Retry-After says. A client that spreads its requests evenly is never refused."}},
	{fault.QuotaExceeded, [2]string{
		"Le compte a épuisé le quota de la journée, à l’heure de Paris, ou la clé a atteint le plafond par jour fixé par son propriétaire. Le message dit lequel des deux\u00a0; les en-têtes X-Quota sont toujours ceux du compte.",
		"The account has used up the quota of this calendar day of Europe/Paris, or the key has reached the daily cap set by its " +
			"owner. The message says which; the X-Quota headers are always those of the account."}, [2]string{
		"Attendez la fin de la journée\u00a0: X-Quota-Reset en donne l’heure, Retry-After le nombre de secondes.",
		"Wait until the day ends: X-Quota-Reset says when, Retry-After in how many seconds."}},
	{fault.Unavailable, [2]string{
		"Un élément dont ce service dépend ne répond pas, ou ce qui est demandé n’est pas encore chargé\u00a0: c’est ce que répond la recherche d’adresses tant que son index n’a pas été construit une première fois.",
		"A part that this service depends on does not answer, or what was asked for is not loaded yet: a search for addresses " +
			"answers this until their index is built for the first time."}, [2]string{
		"Réessayez après le nombre de secondes que dit Retry-After\u00a0: c’est sans risque, et la requête qui a échoué n’est pas décomptée du jour.",
		"Try again after Retry-After seconds: that is safe, and the failed request does not count against the day."}},
	{fault.MethodNotAllowed, [2]string{
		"Toutes les opérations sont des GET. HEAD répond comme GET, sans corps.",
		"Every operation is a GET. HEAD answers as GET without a body."}, [2]string{
		"Utilisez GET.",
		"Use GET."}},
	{fault.RequestTooLarge, [2]string{
		"Le corps de la requête est trop long (413), ou son adresse ou ses en-têtes le sont (431).",
		"The body of the request is too long (413), or its address or headers are (431)."}, [2]string{
		"Raccourcissez la requête\u00a0: aucune opération ne prend de corps, et les adresses restent bien en dessous de 8\u00a0ko.",
		"Shorten the request: no operation takes a body, and addresses stay well under 8 kB."}},
	{fault.MissingToken, [2]string{
		"La requête à /account/v1 ne porte pas de jeton de gestion.",
		"The request to /account/v1 carries no management token."}, [2]string{
		"Créez un jeton dans le compte, et envoyez-le dans Authorization: Bearer.",
		"Make a token in the account, and send it as Authorization: Bearer."}},
	{fault.InvalidToken, [2]string{
		"Le jeton de gestion est inconnu, révoqué ou expiré, ou la personne qui l’a créé ne gère plus les jetons. Une clé d’API n’en est pas un.",
		"The management token is unknown, revoked or expired, or the person who made it does not manage tokens any more. An API key is not one."}, [2]string{
		"Lisez le message\u00a0: il dit s’il a expiré, ou si c’est une clé d’API. Un jeton commence par arpm_.",
		"Read the message: it says whether it has expired, or is an API key. A token begins with arpm_."}},
	{fault.MissingScope, [2]string{
		"Le jeton de gestion n’a pas la portée de cet appel.",
		"The management token does not have the scope of this call."}, [2]string{
		"Créez un jeton avec la portée que nomme le message.",
		"Make a token with the scope that the message names."}},
	{fault.Internal, [2]string{
		"Une erreur s’est produite chez nous. La requête n’est pas décomptée du jour.",
		"Something went wrong on our side. The request does not count against the day."}, [2]string{
		"Réessayez plus tard. Si l’erreur persiste, écrivez à l’exploitant en lui donnant le X-Request-Id de la réponse.",
		"Try again later. If it persists, send the operator the X-Request-Id of the response."}},
}

func errorExample(v view) string {
	return "{\n  \"error\": {\n    \"code\": \"not_found\",\n    \"message\": \"No commune has code 99999.\",\n" +
		"    \"documentation\": \"" + v.BaseURL() + "/docs/errors#not_found\"\n  }\n}"
}
