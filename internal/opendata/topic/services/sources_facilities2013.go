package services

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"arpent/internal/opendata/source"
)

// facilities2013 declares the cross table of the edition of 2013: one column a type, an empty cell for none.
// It has the arrondissements of the three cities, and not the cities.
func facilities2013() source.Source {
	s := source.Source{
		Name: "facilities-2013", Title: facilitiesTitle + " 2013", Producer: "INSEE", Homepage: facilitiesPage,
		Earlier: true,
		Files:   []source.Files{{Path: `(^|/)insee-bpe/bpe2013\.csv(\.gz)?$`}},
		Origins: copyOrigins,
		Read:    source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "code", From: []string{"depcom"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "whole", From: []string{"Total de nb_equip"}, Kind: source.Number, Required: true},
		},
		Reject: []source.Rule{source.UnknownCommune},
		Checks: source.Checks{MinRows: 35_000},
		Note:   "An old edition, kept until a newer one with all types is there: answers name its year.",
	}
	counted := "SELECT code, 'facilities.total' AS measure, '2013' AS period, whole AS value FROM stage"
	all, named := "0", map[string]string{} // columns by their label
	var pairs []string                     // label and column of each type
	for _, domain := range facilityDomains {
		sum := "0"
		for _, label := range facilityLabels2013[domain] {
			name := fmt.Sprintf("t%03d", len(s.Columns))
			named[label] = "coalesce(" + name + ", 0)"
			pairs = append(pairs, "'"+source.Quoted(label)+"', nullif("+name+", 0)::integer")
			s.Columns = append(s.Columns, source.Column{Name: name, From: []string{label}, Kind: source.Number})
			sum += " + coalesce(" + name + ", 0)"
		}
		all += " + " + sum
		counted += fmt.Sprintf(" UNION ALL SELECT code, '%s', '2013', %s FROM stage", FacilityFamily(domain), sum)
	}
	for _, key := range slices.Sorted(maps.Keys(otherLabels2013)) {
		number := "0"
		for _, label := range otherLabels2013[key] {
			number += " + " + named[label]
		}
		counted += fmt.Sprintf(" UNION ALL SELECT code, '%s', '2013', %s FROM stage", FacilitySelected(key), number)
	}
	s.Checks.Queries = []string{`SELECT 'the facilities of ' || code || ' are ' || whole || ', its types together ' || parts
		FROM (SELECT code, whole, ` + all + ` AS parts FROM stage) t WHERE whole <> parts LIMIT 1`}
	s.Derived = []source.Derived{{Name: "facility_types", Target: source.FactLayer("facility_type"),
		Query: "SELECT code AS id, geo.commune_today(code) AS commune, " + buildObject(pairs) + " AS attrs FROM stage"}}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2013, Cities: source.AsArrondissements,
		From: facilityRows(counted, "'2013-01-01'")})
}

// buildObject returns SQL for an object of pairs of a name and a value, without those that are null. A
// function has at most a hundred arguments.
func buildObject(pairs []string) string {
	var parts []string
	for some := range slices.Chunk(pairs, 40) {
		parts = append(parts, "jsonb_build_object("+strings.Join(some, ", ")+")")
	}
	return "jsonb_strip_nulls(" + strings.Join(parts, " || ") + ")"
}

// otherLabels2013 are the types of OtherFacilities, by key.
var otherLabels2013 = map[string][]string{
	"hotel": {"Hôtel homologué"}, "camping": {"Camping homologué"}, "touristOffice": {"Information touristique"},
	"restaurant": {"Restaurant"}, "bank": {"Banque, Caisse d'Epargne"}, "hairdresser": {"Coiffure"},
	"garage": {"Réparation automobile et de matériel agricole"}, "petrolStation": {"Station service"},
	"vet": {"Vétérinaire"}, "police": {"Police", "Gendarmerie"}, "dentist": {"Chirurgien dentiste"},
	"physiotherapist": {"Masseur kinésithérapeute"}, "laboratory": {"Laboratoire d'analyses médicales"},
	"emergencyDepartment": {"Urgences"}, "maternity": {"Maternité"},
	"hospitalShortStay":  {"Établissement santé court séjour"},
	"hospitalMediumStay": {"Établissement santé moyen séjour"},
	"hospitalLongStay":   {"Établissement santé long séjour"},
	"careHome":           {"Personnes âgées : hébergement"}, "taxi": {"Taxi"}, "cinema": {"Cinéma"},
}

// facilityLabels2013 lists the types of 2013 by family, truncated as in the header.
var facilityLabels2013 = map[string][]string{
	"A": {
		"Agence de proximité pôle emploi", "Agence de travail temporaire", "Agence immobilière",
		"Agence postale communale", "Agence spécialisée", "Banque, Caisse d'Epargne",
		"Blanchisserie-Teinturerie", "Bureau de poste", "Coiffure", "Conseil de prud'hommes (CPH)",
		"Contrôle technique automobile", "Cour d'appel (CA)",
		"Direction Départementale des Finances Publiques (DDFIP)",
		"Direction Générale des Finances Publiques (DGFIP)",
		"Direction Régionale  des Finances Publiques (DRFIP)", "Ecole de conduite", "Électricien",
		"Entreprise générale du bâtiment", "Espace public numérique et autre", "Gendarmerie",
		"Location automobiles, utilitaires légers", "Maçon", "Menuisier, charpentier, serrurier",
		"Permanence pôle emploi", "Plâtrier peintre", "Plombier, couvreur, chauffagiste",
		"Point d'information et de médiation multiservices (PIIMS)", "Police", "Pompes funèbres",
		"Relais (RSP) et Maison (MSP) de Service public", "Relais pôle emploi", "Relais poste commerçant",
		"Réparation automobile et de matériel agricole", "Restaurant", "Soins de beauté",
		"Tribunal de commerce (TCO)", "Tribunal de grande instance (TGI)", "Tribunal d'instance (TI)",
		"Vétérinaire",
	},
	"B": {
		"Boucherie charcuterie", "Boulangerie", "Droguerie quincaillerie bricolage", "Épicerie", "Fleuriste",
		"Grande surface de bricolage", "Horlogerie Bijouterie", "Hypermarché",
		"Librairie papeterie journeaux", "Magasin d'articles de sports et de loisirs",
		"Magasin de chaussures", "Magasin de meubles", "Magasin de revêtements murs et sols",
		"Magasin de vêtements", "Magasin d'électroménager et de matériel audio-vidéo",
		"Magasin d'équipements du foyer", "Magasin d'optique", "Parfumerie", "Poissonnerie",
		"Produits surgelés", "Station service", "Supérette", "Supermarché",
	},
	"C": {
		"Autre formation post bac non universitaire", "Autres enseignements supérieurs",
		"Autres formations continues", "Centre de formation d'apprentis (hors agriculture)",
		"Centre de formation d'apprentis agricole",
		"Classe élémentaire de regroupement pédagogique intercommunal (RP",
		"Classe maternelle de regroupement pédagogique intercommunal (RPI", "Collège", "École d'ingénieurs",
		"École élémentaire", "École maternelle", "Enseignement général supérieur privé",
		"Formation aux métiers du sport", "Formation commerce", "Formation professionnelle continue agricole",
		"Formation santé", "GRETA", "Institut universitaire",
		"Lycée d'enseignement général et/ou technologique", "Lycée d'enseignement professionnel",
		"Lycée technique et/ou professionnel agricole", "Résidence universitaire", "Restaurant universitaire",
		"Section Technicien Supérieur, Classe Préparatoire aux Grandes Ec",
		"SEP : Section enseignement professionnel", "SGT : Section enseignement général et technologique",
		"UFR",
	},
	"D": {
		"Adultes handicapés : hébergement", "Adultes handicapés : services",
		"Aide sociale à l'enfance : action éducative", "Aide sociale à l'enfance : hébergement", "Ambulance",
		"Audio prothésiste", "Autres établissements", "Centre accueil demandeur d'asile", "Centre de santé",
		"Centre lutte cancer", "Centre médecine préventive", "Centre provisoire d'hébergement",
		"Chirurgien dentiste", "CHRS : centre d'hébergement et de réinsertion sociale", "Dialyse",
		"Enfants handicapés : hébergement", "Enfants handicapés : services à domicile ou ambulatoires",
		"Ergothérapeute", "Établissement lutte contre l'alcoolisme",
		"Établissement psychiatrique avec hébergement", "Établissement santé court séjour",
		"Établissement santé long séjour", "Établissement santé moyen séjour", "Établissement thermal",
		"Garde d'enfant d'âge préscolaire", "Hospitalisation à domicile", "Infirmier",
		"Laboratoire d'analyses médicales", "Maison de santé pluridisciplinaire", "Masseur kinésithérapeute",
		"Maternité", "Médecin omnipraticien", "Orthophoniste", "Orthoptiste", "Pédicure-podologue",
		"Personnes âgées : foyer restaurant", "Personnes âgées : hébergement",
		"Personnes âgées : services d'aide", "Personnes âgées : services de repas à domicile",
		"Personnes âgées : soins à domicile", "Pharmacie", "Psychomotricien", "Sage-femme",
		"Spécialiste en cardiologie", "Spécialiste en dermatologie vénéréologie",
		"Spécialiste en gastro-entérologie", "Spécialiste en gynécologie médicale",
		"Spécialiste en gynécologie obstétrique", "Spécialiste en ophtalmologie",
		"Spécialiste en oto-rhino-laryngologie", "Spécialiste en pédiatrie", "Spécialiste en pneumologie",
		"Spécialiste en psychiatrie", "Spécialiste en radiodiagnostic et imagerie médicale",
		"Spécialiste en stomatologie", "Structures psychiatriques en ambulatoire", "Transfusion sanguine",
		"Travail protégé", "Urgences",
	},
	"E": {
		"Aéroport", "Gare avec train à grande vitesse (TAGV)",
		"Gare sous convention avec les conseils régionaux ou les STIF", "Gare sous convention avec l'Etat",
		"Taxi",
	},
	"F": {
		"Athlétisme", "Baignade aménagée", "Bassin de natation", "Boucle de randonnée", "Boulodrome",
		"Centre équestre", "Cinéma", "Domaine skiable", "Équipement de cyclisme", "Parcours sportif",
		"Plateau extérieur ou salle multisports", "Port de plaisance - Mouillage",
		"Roller-Skate-Vélo bicross et freestyle", "Salle de combat", "Salle non spécialisé",
		"Salle ou terrain de petits jeux", "Salle ou terrain spécialisé", "Sports de glace",
		"Sports nautiques", "Tennis", "Terrain de golf", "Terrains de grands jeux", "Théâtre",
	},
	"G": {
		"Agence de voyages", "Camping homologué", "Hôtel homologué", "Information touristique",
	},
}
