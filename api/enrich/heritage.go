package enrich

// Monument is a protected historic monument.
type Monument struct {
	ID          string  `json:"id" doc:"reference in the Mérimée base" example:"PA00118092"`
	Name        *string `json:"name" example:"Hôtel de ville"`
	Protection  *string `json:"protection" example:"classé MH"`
	ProtectedOn *string `json:"protectedOn" doc:"day of the first protection" example:"1981-10-29"`
	Commune     *string `json:"commune"`
	Approximate bool    `json:"approximate" doc:"true: the position is one that several monuments of the commune share, likely its centre"`
	DistanceM   int     `json:"distanceM" doc:"metres from the parcel"`
}

// Establishment is an active establishment of the Sirene register.
type Establishment struct {
	SIRET      string  `json:"siret" example:"12345678900011"`
	Name       *string `json:"name" doc:"name of the company; null for people who work on their own account"`
	NAF        *string `json:"naf" doc:"code of the activity" example:"47.11D"`
	Label      *string `json:"label" doc:"wording of the activity; null while no table of wordings is loaded"`
	HeadOffice *bool   `json:"headOffice"`
	Employees  *string `json:"employees" doc:"code of the range of employees" example:"12"`
	DistanceM  int     `json:"distanceM" doc:"metres from the parcel"`
}

func heritage() []query {
	sirene := []string{"sirene"}
	return []query{
		{file: "monuments.sql", weight: 2, keys: []Key{
			{Name: "monuments", Group: Heritage, Layers: []string{"monument", "monument_montpellier"}, Value: []Monument{},
				Doc: "Protected historic monuments within 500 m, by distance, 50 at most."},
		}},
		{file: "sirene.sql", weight: 4, keys: []Key{
			{Name: "sirene", Group: Heritage, Layers: sirene, Value: []Establishment{},
				Doc: "Active business establishments within 50 m, by distance, 25 at most. Those that keep their address to " +
					"themselves, and those that are only known to be in a commune, are left out."},
			{Name: "sireneTotal", Group: Heritage, Layers: sirene, Value: 0,
				Doc: "How many active business establishments there are within 50 m, of those that sirene tells of."},
		}},
	}
}
