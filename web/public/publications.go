package public

import "arpent/web"

// publications are the public pages of this package, in the order of
// the site; the first page publishes itself.
var publications = []web.Publication{
	{Path: "/pricing", Description: [2]string{
		"Trois offres pour les mêmes données\u00a0: gratuite pour un usage non commercial, payante pour un usage commercial, sans durée minimale.",
		"Three plans for the same data: free for non-commercial use, paid for commercial use, with no minimum term."}},
	{Path: "/connect", Description: [2]string{
		"Reliez Claude, ChatGPT, Le Chat, VS Code ou un autre assistant aux communes, adresses et parcelles de France\u00a0: les étapes pour chacun.",
		"Connect Claude, ChatGPT, Le Chat, VS Code or another assistant to the communes, addresses and parcels of France: the steps for each."}},
	{Path: "/sources", Description: [2]string{
		"Les jeux de données publics que ce serveur diffuse, avec leur producteur, leur licence, leur édition et la date de leur chargement.",
		"The public data sets that this server gives out, with producer, licence, edition and the date on which each was loaded."}},
	{Path: "/methods", Description: [2]string{
		"Comment sont calculés les chiffres qui ne sont pas repris tels quels\u00a0: classements, agrégats, scores politiques, tables et seuils.",
		"How the figures are computed that are not taken over as they are: ranks, aggregates, political scores, tables and thresholds."}},
	{Path: "/docs/errors", Description: [2]string{
		"Chaque code d’erreur de l’API\u00a0: son statut, ce qu’il veut dire et ce qu’il faut faire.",
		"Every error code of the API, with its status, what it means and what to do about it."}},
	{Path: "/docs/report", Description: [2]string{
		"Chaque clé du rapport d’une parcelle, de quoi elle est faite et si ce serveur l’a\u00a0: adresses, ventes, risques, urbanisme, nature, réseaux, services.",
		"Every key of the report of a parcel: addresses, sales, risks, planning, nature, networks and services, and what it is made from."}},
	{Path: "/docs/statistics", Description: [2]string{
		"Chaque clé des statistiques des communes, départements et régions\u00a0: unités, sources, et ce que ce serveur a chargé.",
		"Every key of the statistics of communes, départements and régions, with units, sources and what is loaded on this server."}},
}
