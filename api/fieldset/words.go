package fieldset

import "strings"

// ReportWords are words for the subjects of the report of a parcel, in French and English, without accents and
// blanks, and its keys on these, or what has them without a key.
var ReportWords = indexWords([][2]string{
	{"dvf or dvfNearby", "ventes vente sales sale mutations transactions"},
	{"dvfEstimate", "prix prixm2 prices price estimation valeur value"},
	{"gpu", "plu plui zonage zone zoning constructibilite constructible construire buildingrights"},
	{"gpu or gpuPrescriptions", "urbanisme planning"},
	{"permits", "permis permisdeconstruire permit"},
	{"sup", "servitudes servitude easements easement"},
	{"monuments or sup", "abf"},
	{"monuments", "monument patrimoine heritage"},
	{"rga", "argile argiles clay"},
	{"tris or riskPlans", "inondation inondations flood floods flooding"},
	{"riskPlans", "ppr ppri pprn pprt"},
	{"catnat", "catastrophes catastrophesnaturelles disasters"},
	{"seisme", "seismicity sismicite earthquake"},
	{"theme=risks", "risques risks"},
	{"theme=risks, with what the form of a sale (état des risques, ERP) asks for,",
		"erp ernmt ial etatdesrisques"},
	{"pollutedSites", "casias basias basol pollutedsoil"},
	{"pollutedSites or icpe", "pollution"},
	{"icpe", "seveso industries"},
	{"bdcaviteNearby", "cavites cavities carrieres"},
	{"roadTraffic or aerodromeServitude", "bruit noise"},
	{"roadTraffic", "trafic traffic"},
	{"fibre", "internet fiber broadband"},
	{"nearestMobile", "mobile 5g antenne"},
	{"nearestGare or travelTime", "transport transports"},
	{"nearestGare", "gare gares stations station train"},
	{"nearestGareTgv", "tgv"},
	{"nearestAirport", "aeroport airport airports"},
	{"nearestIrve", "borne bornes charging"},
	{"schools", "ecole ecoles school college lycee"},
	{"nearestHospital", "hopital hospital hospitals urgences"},
	{"nearestPharmacy", "pharmacie pharmacy"},
	{"nearbyServices or nearestSupermarket", "commerces shops"},
	{"nearbyServices", "services"},
	{"nearestSupermarket", "supermarche supermarket"},
	{"legalOwners", "proprietaires owners"},
	{"dpe", "energie energy"},
	{"address or banAddresses", "adresse"},
	{"banAddresses", "adresses addresses"},
	{"neighbours", "voisins neighbors"},
	{"buildings", "batiment batiments building"},
	{"condominiums", "copropriete coproprietes condominium"},
	{"geography", "altitude elevation relief"},
	{"soilPh", "sol soil"},
	{"bdforet", "foret forest"},
	{"protectedAreas", "natura2000 znieff zonehumide"},
	{"coursEau", "riviere river"},
	{"waterQuality", "eau water"},
	{"sirene", "entreprises businesses companies"},
	{"parcel.contenance, which every answer on a parcel has without fields,",
		"contenance surface superficie area"},
	{"include=geometry of get_parcel", "geometrie geometry polygon outline"},
})

// StatisticsWords are words for the subjects of statistics, as those of ReportWords, and fields on these in
// the order in which they are preferred: the levels have different ones.
var StatisticsWords = indexWords([][2]string{
	{"unemploymentRate emploi.censusUnemploymentRatePct",
		"chomage unemployment chomeurs unemployed"},
	{"povertyRate revenus.povertyRate", "pauvrete poverty"},
	{"medianIncome revenus.medianIncome", "revenu income salaire salaires wages niveaudevie"},
	{"revenus.interdecileRatio", "inegalites inequality"},
	{"emploi.jobsAtWorkplace", "jobs"},
	{"emploi.active1564", "actifs workforce"},
	{"securite crimeRate", "delinquance crime crimes insecurite vols thefts"},
	{"securite.burglary.ratePer1000", "cambriolages burglaries"},
	{"areaKm2", "superficie area surface"},
	{"population", "habitants inhabitants"},
	{"density population.density", "densite"},
	{"population.change populationChange", "populationchange evolution growth"},
	{"births population.births", "naissances natalite mortalite deces deaths"},
	{"finances.debt finances", "dette"},
	{"finances", "budget depenses"},
	{"communeCount", "communes"},
	{"epci", "intercommunalite communaute siren"},
	{"prices", "dvf prix prixm2 ventes sales"},
	{"qpv", "quartiers quartiersprioritaires districts"},
	{"lastMergerYear formerCommunes", "fusions mergers"},
	{"logementRP.socialHousing", "hlm logementssociaux logementsocial"},
	{"rankings.secondaryHomeRate logement", "residencessecondaires secondhomes secondaryhomes"},
	{"rankings.vacancyRate vacantHousing", "vacants vacance vacancy logementsvacants"},
	{"logementRP.carlessPct", "voitures voiture cars"},
	{"logementRP", "menages households residencesprincipales"},
	{"equipementTypes equipements equipementsDetail", "commerces clothing pharmacies pharmacy supermarches " +
		"hotels campings tourisme restaurants services"},
	{"schools equipements equipementsDetail", "ecole ecoles college colleges lycee lycees"},
	{"namedServices", "hopital hospital"},
	{"nearestGare", "gare gares station stations train"},
	{"maire", "mayor elus"},
	{"election", "elections abstention participation turnout vote votes"},
	{"waterQuality", "eau water"},
	{"airQuality", "air pollutionatmospherique"},
	{"seisme", "sismicite seismicity earthquake"},
	{"catnat", "catastrophes disasters"},
	{"communeRisks", "risques risks inondation inondations flood floods argiles"},
	{"climateAnomaly", "temperature temperatures climat rechauffement"},
	{"geography", "altitude littoral montagne"},
	{"anfr", "antennes antenne mobile 5g"},
	{"permits", "permis construction permisdeconstruire"},
})

// Unserved says of subjects that are natural to ask of a parcel or a commune, and that no source is of which
// this server reads, where the answer is found. Its words are as those of ReportWords.
var Unserved = indexWords([][2]string{
	{"The right of pre-emption (DPU) is decided by the commune or its intercommunal body: ask the mairie.",
		"dpu preemption droitdepreemption droitpreemption preemptionright preemptionrights rightofpreemption"},
	{"The outlines of the cadastre (get_parcel with include=geometry) are no limits of property: a " +
		"géomètre-expert sets these (bornage).", "bornage boundary boundaries limites"},
	{"The alignment on a street is given by its owner: ask the mairie.", "alignement alignment"},
	{"Whether a parcel is connected to a sewer is known to the commune or its SPANC: ask the mairie.",
		"assainissement sewer sewage sewerage toutalegout spanc anc"},
	{"Networks of water, power and gas are known to their operators and the mairie. fibre has the roll-out of " +
		"fibre.", "reseaux viabilisation raccordement utilities electricite gaz gas"},
	{"Owners are published where they are legal persons: legalOwners. Of natural persons ask the service de la " +
		"publicité foncière.", "proprietaire owner ownername privateowner"},
	{"Mortgages and private easements are in the deeds: ask a notaire. sup has the public easements that are " +
		"loaded.", "hypotheque hypotheques mortgage mortgages servitudesprivees droitdepassage rightofway"},
	{"What may be built is in the written rules of the plan, which are not read here: gpu names the zone and " +
		"the document. The mairie has it, and gives a certificat d'urbanisme.",
		"certificatdurbanisme cu hauteur height ces cos empriseausol reglement rules"},
	{"No source of rents is read.", "loyer loyers rent rents encadrementdesloyers"},
	{"The taxes on a parcel are not public: ask its owner or the tax office. finances of get_commune has what " +
		"the commune takes.", "taxe taxes taxefonciere propertytax impots valeurlocative"},
	{"Asbestos, lead and termites are in the diagnostics that the seller gives. dpe has the energy ratings that " +
		"are loaded.", "amiante asbestos plomb lead termites diagnostics"},
	{"No list of doctors by place is read: equipementTypes of get_commune has their number, apl the access to " +
		"them.", "medecin medecins doctor doctors"},
	{"No source of stops of metro, bus and tram is read: nearestGare has railway stations.",
		"metro bus tram tramway rer"},
	{"No source of the weather is read.", "meteo weather ensoleillement sunshine"},
	{"No source of farming is read.", "agriculture farming exploitations"},
	{"No figures by age, birthplace, nationality or diploma are read.", "age agemoyen jeunes retraites " +
		"immigration immigres etrangers foreigners diplomes csp cadres familles"},
	{"Mairies have no address, telephone number or hours here: annuaire.service-public.fr has them.",
		"mairie email telephone phone website horaires conseillers"},
})

// indexWords gives for each word what is said of its subject.
func indexWords(subjects [][2]string) map[string]string {
	all := map[string]string{}
	for _, subject := range subjects {
		for word := range strings.FieldsSeq(subject[1]) {
			all[word] = subject[0]
		}
	}
	return all
}
