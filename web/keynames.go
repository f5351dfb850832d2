package web

// ReportKeys and StatisticsKeys name the keys of the report of a
// parcel, and those of the statistics, for people.
var (
	ReportKeys = Texts{
		"address":      {"Adresse", "Address"},
		"banAddresses": {"Toutes les adresses", "All addresses"},
		"neighbours":   {"Parcelles voisines", "Neighbouring parcels"},
		"predecessors": {"Anciennes parcelles", "Former parcels"},
		"dvf":          {"Ventes de la parcelle", "Sales of the parcel"},
		"dvfNearby":    {"Ventes comparables à proximité", "Comparable sales nearby"},
		"dvfEstimate":  {"Prix médian à proximité", "Median price nearby"},
		"dpe":          {"Diagnostics énergétiques", "Energy diagnostics"},
		"catnat":       {"Catastrophes naturelles reconnues", "Recognised natural disasters"},
		"communeRisks": {"Risques de la commune", "Risks of the commune"},
		"riskPlans":    {"Plans de prévention des risques", "Risk-prevention plans"},
		"tris": {"Zone inondable (territoire à risque important)",
			"Flood area (high-risk territory)"},
		"floodMarkers": {"Repères de crue", "Flood marks"},
		"rga":          {"Retrait-gonflement des argiles", "Clay shrinkage and swelling"},
		"radon":        {"Radon", "Radon"},
		"seisme":       {"Séisme", "Earthquakes"},
		"icpe": {"Installations classées à moins d’un kilomètre",
			"Classified installations within a kilometre"},
		"pollutedSites": {"Anciens sites industriels à moins de 500\u00a0m",
			"Former industrial sites within 500\u00a0m"},
		"bdcaviteNearby":     {"Cavités souterraines", "Underground cavities"},
		"bdmvtNearby":        {"Mouvements de terrain", "Ground movements"},
		"qpv":                {"Quartier prioritaire", "Priority district"},
		"gpu":                {"Zonage du plan local", "Zoning of the local plan"},
		"gpuPrescriptions":   {"Prescriptions d’urbanisme (surfaces)", "Planning constraints (areas)"},
		"sup":                {"Servitudes d’utilité publique", "Public-utility easements"},
		"aerodromeServitude": {"Servitudes et bruit des aérodromes", "Aerodrome easements and noise"},
		"permits":            {"Permis et déclarations accordés", "Permits granted"},
		"rpg":                {"Culture déclarée", "Declared crop"},
		"rpgBio":             {"Agriculture biologique", "Organic farming"},
		"aoc":                {"Appellations d’origine", "Designations of origin"},
		"clc":                {"Occupation du sol", "Land cover"},
		"bdforet":            {"Forêt", "Forest"},
		"zonesVegetation":    {"Végétation", "Vegetation"},
		"soilPh":             {"pH du sol", "Soil pH"},
		"protectedAreas":     {"Espaces protégés", "Protected areas"},
		"coursEau":           {"Cours d’eau", "Watercourse"},
		"planEau":            {"Plan d’eau", "Standing water"},
		"nearestRiverWater":  {"Qualité des rivières", "River water quality"},
		"waterQuality":       {"Qualité de l’eau du robinet", "Tap water quality"},
		"monuments": {"Monuments historiques à moins de 500\u00a0m",
			"Historic monuments within 500\u00a0m"},
		"sirene":             {"Établissements", "Business establishments"},
		"sireneTotal":        {"Nombre d’établissements", "Number of establishments"},
		"legalOwners":        {"Propriétaires personnes morales", "Owners that are legal persons"},
		"buildings":          {"Bâtiments", "Buildings"},
		"condominiums":       {"Copropriétés", "Condominiums"},
		"roadTraffic":        {"Trafic routier", "Road traffic"},
		"travelTime":         {"Temps de trajet", "Travel times"},
		"fibre":              {"Fibre", "Fibre"},
		"nearestIrve":        {"Borne de recharge", "Charging point"},
		"nearestMobile":      {"Antenne mobile", "Mobile mast"},
		"nearestGare":        {"Gare", "Railway station"},
		"nearestGareTgv":     {"Gare TGV", "High-speed station"},
		"nearestAirport":     {"Aéroport", "Airport"},
		"schools":            {"Écoles, collèges, lycées", "Schools"},
		"nearestHospital":    {"Hôpital", "Hospital"},
		"nearestMsp":         {"Maison de santé", "Health centre"},
		"nearestPharmacy":    {"Pharmacie", "Pharmacy"},
		"nearestSupermarket": {"Supermarché", "Supermarket"},
		"nearestHypermarket": {"Hypermarché", "Hypermarket"},
		"nearestConvenience": {"Supérette", "Convenience store"},
		"nearestMarketplace": {"Marché", "Market"},
		"nearbyServices":     {"Équipements à moins d’un kilomètre", "Facilities within a kilometre"},
		"geography":          {"Altitude", "Elevation"},
		"old":                {"Photographies aériennes anciennes", "Historic aerial photographs"},
	}
	StatisticsKeys = Texts{
		"finances":         {"Comptes de la commune", "Municipal accounts"},
		"revenus":          {"Revenus", "Income"},
		"population":       {"Population", "Population"},
		"epci":             {"Intercommunalité", "Intercommunal body"},
		"logement":         {"Logements", "Dwellings"},
		"logementRP":       {"Résidences principales", "Main residences"},
		"equipements":      {"Équipements", "Facilities"},
		"emploi":           {"Emploi", "Employment"},
		"securite":         {"Délinquance enregistrée", "Recorded offences"},
		"election":         {"Élections", "Elections"},
		"maire":            {"Maire", "Mayor"},
		"politicalScore":   {"Position gauche-droite", "Left/right position"},
		"municipalWave":    {"Tendance des municipales", "Trend of municipal elections"},
		"presidentialWave": {"Tendance des présidentielles", "Trend of presidential elections"},
		"rankings":         {"Classements", "Rankings"},
		"climateAnomaly":   {"Écart de température", "Temperature anomaly"},
		"travelTime":       {"Temps de trajet", "Travel times"},
		"waterQuality":     {"Qualité de l’eau du robinet", "Tap water quality"},
		"airQuality":       {"Qualité de l’air", "Air quality"},
		"apl":              {"Accès aux médecins généralistes", "Access to general practitioners"},
		"namedServices":    {"Services les plus proches", "Nearest services"},
		"geography":        {"Altitude et distances", "Elevation and distances"},
		"nuisibles":        {"Nuisibles signalés", "Reported pests"},
		"permits":          {"Permis et déclarations accordés", "Permits granted"},
		"anfr":             {"Antennes mobiles", "Mobile masts"},
		"radon":            {"Radon", "Radon"},
		"seisme":           {"Séisme", "Earthquakes"},
		"catnat":           {"Catastrophes naturelles reconnues", "Recognised natural disasters"},
		"communeRisks":     {"Risques recensés", "Listed risks"},
		"schools":          {"Établissements scolaires", "Schools"},
		"nearestGare":      {"Gare la plus proche", "Nearest station"},
		"prices":           {"Prix des ventes", "Sale prices"},
		"equipementTypes":  {"Équipements par type", "Facilities by type"},
		"icpe":             {"Installations classées", "Classified installations"},
		"pollutedSites":    {"Anciens sites industriels", "Former industrial sites"},
		"qpv":              {"Quartiers prioritaires (QPV)", "Priority districts (QPV)"},
	}
)

// AddressMatch says how an address was matched with a parcel, of one outside it also from how far.
func AddressMatch(l Lang, match string, distanceM int) string {
	metres := l.Number(distanceM) + "\u00a0m"
	switch {
	case match == "near":
		return l.Pick("une adresse voisine, à ", "an address nearby, ") + metres + l.Pick("", " away")
	case match == "nearest" && distanceM <= 1:
		return l.Pick("en bordure de la parcelle", "at the edge of the parcel")
	case match == "nearest":
		return l.Pick("à ", "") + metres + l.Pick(" de la parcelle, la plus proche d’elle", " from the parcel, the nearest to it")
	}
	return addressMatches.Of(l, match)
}

var addressMatches = Texts{"inside": {"sur la parcelle", "on the parcel"},
	"cadastre": {"rattachée à la parcelle par la BAN", "linked to the parcel by the BAN"}}

// BareCommune says that a street cannot be found in a commune because none of its streets is loaded.
func BareCommune(l Lang, name string) string {
	return l.Pick("Aucune rue n’est chargée ici pour "+name+"\u00a0; voici la commune.",
		"No streets in "+name+" are loaded here; here is the commune.")
}
