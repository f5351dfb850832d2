// Package buildings declares the data on buildings, the condominiums that own them and the energy that homes
// need.
package buildings

import (
	_ "embed"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

var (
	//go:embed tables.sql
	tables string
	//go:embed condominium_parcels.sql
	condominiumParcels string
	//go:embed condominium_rows.sql
	condominiumRows string
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{buildingSource(), buildingObjects(), condominiumSource()}
}

// unplacedCondominium leaves out the condominiums that are on no parcel of today: the register does not
// require a parcel, and does not follow one that is divided.
var unplacedCondominium = source.Rule{
	When: "false",
	Reason: `CASE WHEN coalesce(reference_1, reference_2, reference_3) IS NULL THEN 'it names no parcel'
		ELSE 'no parcel of today, or more than one, fits '
			|| concat_ws(', ', reference_1, reference_2, reference_3) END`,
	LeaveOut: "ctid NOT IN (SELECT place FROM joined)",
}

// condominiumSource declares the register of condominiums. The daily file and the earlier ones have names of
// their own for the same columns.
func condominiumSource() source.Source {
	representative := []string{"raison_sociale_representant_legal", "raison_sociale_du_representant_legal"}
	return source.Source{
		Name: "rnic", Group: "buildings", Title: "Registre national d'immatriculation des copropriétés",
		Producer: "ANAH", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/registre-national-dimmatriculation-des-coproprietes",
		After:    []string{"parcelles-etalab", "parcelles-ign-shp", "sirene-entreprises"},
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "registre-national-dimmatriculation-des-coproprietes",
				Resource: "3ea8e2c3-0038-464a-b17e-cd5c91f65ce2", File: `(?i)^([0-9]{8}-)?rnc-data-gouv-with-qpv\.csv$`},
			As: "rnic/{served}", Bytes: 437_000_000, Rhythm: "daily", Evidence: fetch.Read,
			Basis:  "bpineau/gazetteer, sources/rnc; other public source code (address, names of the columns)",
			ReadOn: "2026-10",
			Note: "The resource “RNIC - Actualisation quotidienne”; the yearly and quarterly ones have other " +
				"columns.",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)((?P<vintage>[0-9]{8})-)?(rnc-data-gouv[^/]*|rnic([-_.]` +
			source.PlaceCode + `)?)\.csv(\.gz|\.zip)?$`}},
		Read: source.Read{Format: source.CSV, Separator: "sniff",
			Nulls: []string{"non connu", "Non connu", "NON_CONNU", "NON_CONNUE",
				"Identité non partagée en Open Data"}},
		Columns: []source.Column{
			{Name: "id", From: []string{"numero_immatriculation", "numero_d_immatriculation"}, Required: true},
			{Name: "name", From: []string{"nom_usage_copropriete", "nom_d_usage_de_la_copropriete"},
				Persons: source.LegalPersonName},
			{Name: "address", From: []string{"adresse_reference", "adresse_de_reference"}},
			{Name: "lots", From: []string{"nombre_total_lots", "nombre_total_de_lots"}, Kind: source.Integer,
				Internal: true},
			{Name: "main_lots", From: []string{"nombre_lots_habitation_bureaux_commerces",
				"nombre_total_de_lots_a_usage_d_habitation_de_bureaux_ou_de_comm"}, Kind: source.Integer},
			{Name: "housing_lots", From: []string{"nombre_lots_habitation", "nombre_de_lots_a_usage_d_habitation"},
				Kind: source.Integer},
			{Name: "parking_lots", From: []string{"nombre_lots_stationnement", "nombre_de_lots_de_stationnement"},
				Kind: source.Integer},
			{Name: "built_period", From: []string{"periode_construction", "periode_de_construction"}},
			{Name: "updated", From: []string{"date_derniere_maj", "date_de_la_derniere_maj"}, Kind: source.Date},
			source.Internal("kind", "type_syndic", "type_de_syndic_benevole_professionnel_non_connu"),
			{Name: "organisation", From: representative, Internal: true, Persons: source.KnownOrganisationName},
			{Name: "representative", From: representative, Internal: true},
			{Name: "siret", From: []string{"siret_representant_legal", "siret_du_representant_legal"}, Pad: 14,
				Internal: true},
			// code_officiel_commune holds the postcode.
			source.Internal("code_insee", "code_officiel_arrondissement_commune"),
			source.Internal("reference_1", "reference_cadastrale_1"),
			source.Internal("reference_2", "reference_cadastrale_2"),
			source.Internal("reference_3", "reference_cadastrale_3"),
			{Name: "parcel_count", From: []string{"nombre_parcelles", "nombre_de_parcelles_cadastrales"},
				Kind: source.Integer},
			source.FileScope,
		},
		Join:    condominiumParcels,
		Rows:    condominiumRows,
		Vintage: "max(updated)::text",
		Reject:  []source.Rule{unplacedCondominium},
		Dedupe:  source.Dedupe{Key: []string{"id"}, Best: "updated DESC NULLS LAST"},
		Checks:  source.Checks{Queries: []string{source.WholeDepartement("100"), source.WholeCountry("100000")}},
		Target:  source.Target{Table: "geo.condominium", Key: []string{"part", "id"}, Part: true, Create: tables},
		Covers:  source.Covers("condominium"),
		Note: "The parcels are looked up in the cadastre: it is loaded first. Of the references of Marseille, " +
			"which lack the arrondissement or the prefix, those that one parcel fits are used.",
	}
}
