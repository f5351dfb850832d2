package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// loadKind is a source, or those that belong together, with the files that its producer would publish.
type loadKind struct {
	name    string
	sources []string
	// files are those of so many rows. edition 2 is a later one, in which some rows of each file are others.
	files func(rows int, all []madeDepartement, edition int) []madeFile
}

// loadKinds are measured in this order.
var loadKinds = []loadKind{
	{"parcels", []string{"parcelles-etalab"}, parcelFiles},
	{"addresses", []string{"ban"}, addressFiles},
	{"sales", []string{"dvf"}, saleFiles},
	{"sirene", []string{"sirene-positions", "sirene-entreprises", "sirene"}, sireneFiles},
	{"fibre", []string{"fibre"}, fibreFiles},
	{"dpe", []string{"dpe"}, dpeFiles},
	{"buildings", []string{"rnb"}, buildingFiles},
	{"condominiums", []string{"rnic"}, condominiumFiles},
}

// parcelFiles are in the layout of Etalab, with 12.5 vertices a parcel, as in its files of eleven communes.
func parcelFiles(rows int, all []madeDepartement, edition int) []madeFile {
	return splitByDepartement(rows, all, func(d *madeDepartement, n int) madeFile {
		return madeFile{
			name: "cadastre-" + d.code + "-parcelles.json.gz", head: `{"type":"FeatureCollection","features":[` + "\n", sep: ",\n", tail: "\n]}\n",
			line: func(b []byte, i int) []byte { return d.appendParcel(b, i, n, edition) },
		}
	})
}

// parcelOf is the reference of the i-th of n parcels.
func (d *madeDepartement) parcelOf(b []byte, i, n int) []byte {
	const inSection = 300
	commune, nth, _, _, _ := d.placeAt(i, n)
	section := nth / inSection
	b = append(append(b, commune...), "000"...)
	b = append(b, 'A'+byte(section/26%26), 'A'+byte(section%26))
	return appendPadded(b, nth%inSection+1+section/676*inSection, 4)
}

func (d *madeDepartement) appendParcel(b []byte, i, n, edition int) []byte {
	commune, _, x, y, cell := d.placeAt(i, n)
	h := hashNumber(uint64(i))
	idu := string(d.parcelOf(nil, i, n))
	b = append(append(append(b, `{"type":"Feature","id":"`...), idu...), `","geometry":{"type":"Polygon","coordinates":[[`...)
	vertices := 8 + int(h%8)
	for v := range vertices + 1 { // the last is the first again
		angle := 2 * math.Pi * float64(v%vertices) / float64(vertices)
		r := float64(cell) * (0.25 + 0.2*float64(hashNumber(h+uint64(v%vertices))%1000)/1000)
		if v > 0 {
			b = append(b, ',')
		}
		b = appendDegrees(append(b, '['), x+cell/2+int(r*math.Cos(angle)))
		b = appendDegrees(append(b, ','), y+cell/2+int(r*math.Sin(angle)))
		b = append(b, ']')
	}
	area := 50 + int(h>>8%5000)
	if edition > 1 && i%100 == 0 {
		area++
	}
	b = append(append(append(b, `]]},"properties":{"id":"`...), idu...), `","commune":"`...)
	b = append(append(append(b, commune...), `","prefixe":"000","section":"`...), idu[8:10]...)
	b = append(append(append(b, `","numero":"`...), strings.TrimLeft(idu[10:], "0")...), `","contenance":`...)
	b = strconv.AppendInt(b, int64(area), 10)
	return append(strconv.AppendInt(append(b, `,"arpente":false,"created":"2006-02-15","updated":"2021-07-0`...), int64(edition), 10), `"}}`...)
}

// addressFiles are those of the Base Adresse Nationale.
func addressFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const head = "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;" +
		"type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;source_nom_voie;certification_commune;cad_parcelles\n"
	return splitByDepartement(rows, all, func(d *madeDepartement, n int) madeFile {
		return madeFile{name: "adresses-" + d.code + ".csv.gz", head: head, line: func(b []byte, i int) []byte {
			commune, nth, x, y, _ := d.placeAt(i, n)
			h := hashNumber(uint64(i))
			street, number := nth/25, nth%25+1
			if edition > 1 && i%100 == 0 {
				x += 10
			}
			listed := ""
			if h%3 == 0 {
				listed = string(d.parcelOf(nil, i, n))
			}
			b = fmt.Appendf(b, "%s_%04d_%05d;%s_%04d;%d;%s;Rue du Moulin %d;%s;%s;Commune %s;;;%d.%d;%d.%d;", commune, street, number, commune, street, number,
				[]string{"", "", "", "bis"}[h>>8%4], street, commune, commune, commune, 600000+h%9999, h%100, 6800000+h%9999, h%100)
			b = append(appendDegrees(append(appendDegrees(b, x), ';'), y), ';')
			return fmt.Appendf(b, "entrée;;;COMMUNE %s;RUE DU MOULIN %d;commune;commune;%d;%s\n", commune, street, h>>16%2, listed)
		}}
	})
}

// saleFiles are the national files of the geolocated sales, one a year.
func saleFiles(rows int, all []madeDepartement, edition int) (files []madeFile) {
	const head = "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,adresse_numero,adresse_suffixe,adresse_nom_voie,adresse_code_voie," +
		"code_postal,code_commune,nom_commune,code_departement,ancien_code_commune,ancien_nom_commune,id_parcelle,ancien_id_parcelle,numero_volume," +
		"lot1_numero,lot1_surface_carrez,lot2_numero,lot2_surface_carrez,lot3_numero,lot3_surface_carrez,lot4_numero,lot4_surface_carrez,lot5_numero," +
		"lot5_surface_carrez,nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,code_nature_culture,nature_culture," +
		"code_nature_culture_speciale,nature_culture_speciale,surface_terrain,longitude,latitude\n"
	const years = 5
	for year := range years {
		n := rows*(year+1)/years - rows*year/years
		each := (n + len(all) - 1) / len(all)
		files = append(files, madeFile{name: fmt.Sprintf("dvf/%d/full.csv.gz", 2021+year), head: head, rows: n, line: func(b []byte, i int) []byte {
			d := &all[i/each]
			_, _, x, y, _ := d.placeAt(i%each, each)
			idu := d.parcelOf(nil, i%each, each)
			h := hashNumber(uint64(i / 2)) // two rows a mutation: a home and what belongs to it
			kind := [2]string{"1,Maison", "3,Dépendance"}[i%2]
			b = fmt.Appendf(b, "%d-%d,%d-%02d-%02d,000001,Vente,%d,%d,,RUE DU MOULIN,B020,%s,%s,Commune %s,%s,,,%s,,,,,,,,,,,,,%d,%s,%d,%d,S,sols,,,%d,",
				2021+year, i/2, 2021+year, 1+h%12, 1+h>>8%28, 80000+(h>>16%400)*1000+uint64(edition), 1+h%99, idu[:5], idu[:5], idu[:5], d.code, idu, 0, kind,
				40+h>>24%120, 1+h>>32%6, 100+h>>40%900)
			b = appendDegrees(append(appendDegrees(b, x), ','), y)
			return append(b, '\n')
		}})
	}
	return files
}

// sireneFiles are the three stocks, of which a third of the establishments is
// active and half of the companies have names.
func sireneFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const stock = "siren,nic,siret,statutDiffusionEtablissement,dateCreationEtablissement,trancheEffectifsEtablissement,anneeEffectifsEtablissement," +
		"activitePrincipaleRegistreMetiersEtablissement,dateDernierTraitementEtablissement,etablissementSiege,nombrePeriodesEtablissement," +
		"complementAdresseEtablissement,numeroVoieEtablissement,indiceRepetitionEtablissement,typeVoieEtablissement,libelleVoieEtablissement," +
		"codePostalEtablissement,libelleCommuneEtablissement,libelleCommuneEtrangerEtablissement,distributionSpecialeEtablissement,codeCommuneEtablissement," +
		"codeCedexEtablissement,libelleCedexEtablissement,codePaysEtrangerEtablissement,libellePaysEtrangerEtablissement,identifiantAdresseEtablissement," +
		"coordonneeLambertAbscisseEtablissement,coordonneeLambertOrdonneeEtablissement,dateDebut,etatAdministratifEtablissement,enseigne1Etablissement," +
		"enseigne2Etablissement,enseigne3Etablissement,denominationUsuelleEtablissement,activitePrincipaleEtablissement," +
		"nomenclatureActivitePrincipaleEtablissement,caractereEmployeurEtablissement\n"
	const companies = "siren,statutDiffusionUniteLegale,unitePurgeeUniteLegale,dateCreationUniteLegale,sigleUniteLegale,sexeUniteLegale,prenom1UniteLegale," +
		"identifiantAssociationUniteLegale,trancheEffectifsUniteLegale,dateDernierTraitementUniteLegale,categorieEntreprise,dateDebut," +
		"etatAdministratifUniteLegale,nomUniteLegale,denominationUniteLegale,categorieJuridiqueUniteLegale,activitePrincipaleUniteLegale," +
		"nomenclatureActivitePrincipaleUniteLegale,nicSiegeUniteLegale,economieSocialeSolidaireUniteLegale,caractereEmployeurUniteLegale\n"
	const positions = "siret;x;y;qualite_xy;epsg;plg_qp24;plg_iris;plg_zus;plg_qp15;plg_qva;plg_code_commune;distance_precision;qualite_qp24;qualite_iris;" +
		"qualite_zus;qualite_qp15;qualite_qva;y_latitude;x_longitude\n"
	each := (rows + len(all) - 1) / len(all)
	siren := func(i int) int { return 100_000_000 + i*17 }
	stockOf := func(name, member, head string, n int, line func(b []byte, i int) []byte) madeFile {
		return madeFile{name: "sirene/" + name + ".zip", compressedMember: member + ".csv", head: head, rows: n, line: line}
	}
	return []madeFile{
		stockOf("GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_utf8", "Geolocalisation", positions, rows, func(b []byte, i int) []byte {
			_, _, x, y, _ := all[i/each].placeAt(i%each, each)
			h := hashNumber(uint64(i))
			b = fmt.Appendf(b, "%d00011;%d.5;%d.5;11;2154;CSZ;%d0000;CSZ;CSZ;CSZ;%s;5;1;1;1;1;1;", siren(i), 600000+h%9999, 6800000+h%9999, h%99999, all[i/each].code)
			return append(appendDegrees(append(appendDegrees(b, y), ';'), x), '\n')
		}),
		stockOf("StockUniteLegale_utf8", "StockUniteLegale_utf8", companies, rows*2/3, func(b []byte, i int) []byte {
			form, name := "5499", fmt.Sprintf("SOCIETE DU MOULIN %d", i)
			if i%2 == 0 {
				form, name = "1000", ""
			}
			return fmt.Appendf(b, "%d,O,,2000-09-26,,,,,NN,2018-07-10T14:17:15,PME,2018-02-07,A,,%s,%s,32.12Z,NAFRev2,00011,,N\n", siren(i), name, form)
		}),
		stockOf("StockEtablissement_utf8", "StockEtablissement_utf8", stock, rows, func(b []byte, i int) []byte {
			d := &all[i/each]
			commune, _, _, _, _ := d.placeAt(i%each, each)
			h := hashNumber(uint64(i))
			state := [3]string{"A", "F", "F"}[i%3]
			return fmt.Appendf(b, "%d,00011,%d00011,O,2004-05-0%d,NN,,,2024-03-12T10:11:12,true,2,,%d,,RUE,DU MOULIN,%s,COMMUNE %s,,,%s,,,,,%s_B,%d.%d,%d.%d,2008-01-01,%s,,,,,"+
				"68.20B,NAFRev2,N\n", siren(i), siren(i), edition, 1+h%99, commune, commune, commune, commune, 600000+h%9999, h%100, 6800000+h%9999, h%100, state)
		}),
	}
}

// fibreFiles are the file of the country, from as many rows on as the loader
// believes one to have, else those of départements.
func fibreFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const (
		head = "x,y,imb_id,num_voie,cp_no_voie,type_voie,nom_voie,batiment,code_insee,code_poste,nom_com,catg_loc_imb,imb_etat,pm_ref,pm_etat,pm_date_mad," +
			"code_l331,type_imb,date_completude,date_completude_manquante\n"
		believed = 10_000_000
	)
	line := func(d *madeDepartement, n int) func(b []byte, i int) []byte {
		return func(b []byte, i int) []byte {
			commune, nth, x, y, _ := d.placeAt(i, n)
			state := "deploye"
			if edition > 1 && i%100 == 0 {
				state = "cible"
			}
			b = appendDegrees(append(appendDegrees(b, x), ','), y)
			return fmt.Appendf(b, ",IMB/%s/X/%06d,%d,,RUE,DU MOULIN,,%s,%s,Commune %s,residentiel,%s,FI-%s-%04d,deploye,2020-01-31,FRTE,PAVILLON,,\n",
				commune, nth, nth%99, commune, commune, commune, state, commune, nth/300)
		}
	}
	if rows < believed {
		return splitByDepartement(rows, all, func(d *madeDepartement, n int) madeFile {
			return madeFile{name: "ipe_" + d.code + ".csv.gz", head: head, line: line(d, n)}
		})
	}
	each := (rows + len(all) - 1) / len(all)
	return []madeFile{{name: "2026t2-immeuble.zip", compressedMember: "carte_fibre_immeubles_2026_T2_20260902.csv", head: head, rows: rows,
		line: func(b []byte, i int) []byte { return line(&all[i/each], each)(b, i%each) }}}
}

// dpeFiles have the columns that arpent fetch asks for.
func dpeFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const head = "numero_dpe,numero_dpe_remplace,date_etablissement_dpe,date_fin_validite_dpe,etiquette_dpe,etiquette_ges,conso_5_usages_par_m2_ep," +
		`"emission_ges_5_usages par_m2",type_batiment,annee_construction,periode_construction,surface_habitable_logement,identifiant_ban,code_insee_ban,` +
		"code_postal_brut,coordonnee_cartographique_x_ban,coordonnee_cartographique_y_ban,_geopoint\n"
	return splitByDepartement(rows, all, func(d *madeDepartement, n int) madeFile {
		return madeFile{name: "dpe/dpe03existant-" + d.code + ".csv.gz", head: head, line: func(b []byte, i int) []byte {
			commune, nth, _, _, _ := d.placeAt(i, n)
			h := hashNumber(uint64(i))
			class := 'A' + rune(h%7)
			if edition > 1 && i%100 == 0 {
				class = 'G'
			}
			x, y := 500_000+h>>8%300_000, 6_300_000+h>>32%600_000
			return fmt.Appendf(b, "%sE%08d,,2023-0%d-1%d,2033-01-31,%c,%c,%d.%d,%d,maison,%d,1975-1977,%d.%d,%s_%04d_%05d,%s,%s,%d.%02d,%d.%02d,\"%d.%06d,%d.%06d\"\n",
				d.code, i, 1+h%9, h%10, class, class, 50+h>>4%400, h%10, h>>5%90, 1900+h>>6%120, 20+h>>7%150, h%10, commune, nth/25, nth%25+1, commune, commune,
				x, h%100, y, h%100, 43+h%6, h%1e6, h%7, h%1e6)
		}}
	})
}

// buildingFiles are those of the RNB, with twenty vertices a building.
func buildingFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const head = "rnb_id;point;shape;status;ext_ids;addresses;plots;validated_by\n"
	return splitByDepartement(rows, all, func(d *madeDepartement, n int) madeFile {
		return madeFile{name: "rnb/RNB_" + d.code + ".csv.gz", head: head, line: func(b []byte, i int) []byte {
			commune, nth, x, y, cell := d.placeAt(i, n)
			status := "constructed"
			if edition > 1 && i%100 == 0 {
				status = "notUsable"
			}
			b = fmt.Appendf(b, `%s%05d%02d;"SRID=4326;POINT(0 0)";"SRID=4326;MULTIPOLYGON(((`, commune, nth, i%100)
			for v := range 21 {
				angle := 2 * math.Pi * float64(v%20) / 20
				if v > 0 {
					b = append(b, ", "...)
				}
				b = appendDegrees(b, x+int(float64(cell)*0.2*math.Cos(angle)))
				b = appendDegrees(append(b, ' '), y+int(float64(cell)*0.2*math.Sin(angle)))
			}
			b = fmt.Appendf(b, `)))";%s;"[{""id"": ""bdnb-bc-%012x"", ""source"": ""bdnb""}]";`, status, i)
			b = fmt.Appendf(b, `"[{""cle_interop_ban"" : ""%s_0001_%05d""}]";"[{""id"" : ""`, commune, nth)
			b = append(d.parcelOf(b, i, n), `"", ""bdg_cover_ratio"" : 0.97}, {""id"" : ""`...)
			return append(d.parcelOf(b, (i+1)%n, n), `"", ""bdg_cover_ratio"" : 0.03}]";[]`+"\n"...)
		}}
	})
}

// condominiumFiles are the national file of the register.
func condominiumFiles(rows int, all []madeDepartement, edition int) []madeFile {
	const head = "numero_immatriculation,date_immatriculation,date_derniere_maj,type_syndic," +
		"raison_sociale_representant_legal,siret_representant_legal,mandat_en_cours,nom_usage_copropriete," +
		"adresse_reference,longitude,latitude,nombre_total_lots,nombre_lots_habitation_bureaux_commerces," +
		"nombre_lots_habitation,nombre_lots_stationnement,periode_construction,reference_cadastrale_1," +
		"reference_cadastrale_2,reference_cadastrale_3,nombre_parcelles,code_officiel_commune," +
		"code_officiel_arrondissement_commune\n"
	each := (rows + len(all) - 1) / len(all)
	return []madeFile{{name: "rnic/rnc-data-gouv-with-qpv.csv.gz", head: head, rows: rows, line: func(b []byte, i int) []byte {
		d, h := &all[i/each], hashNumber(uint64(i))
		commune, _, x, y, _ := d.placeAt(i%each, each)
		b = fmt.Appendf(b, `"AA%07d","2018-05-0%d","2026-05-2%d","professionnel","SAS CABINET DU MOULIN %d","%014d",`+
			`"Mandat en cours","Résidence du Moulin %d","%d rue du Moulin %s Commune %s","`,
			i, edition, h%10, h%999, h%1e14, h%9999, 1+h%99, commune, commune)
		b = appendDegrees(append(appendDegrees(b, x), `","`...), y)
		b = fmt.Appendf(b, `","%d","%d","%d","%d","DE_1961_A_1974","`, 4+h%90, 2+h%40, 2+h%30, h%40)
		return fmt.Appendf(d.parcelOf(b, i%each, each), `","","","1","%s","%s"`+"\n", commune, commune)
	}}}
}

// everyKind is so many rows of each kind.
func everyKind(rows int) map[string]int {
	all := map[string]int{}
	for _, k := range loadKinds {
		all[k.name] = rows
	}
	return all
}
