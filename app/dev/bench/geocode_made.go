package bench

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// country makes streets up in the real communes: as many in each as its population lets expect, with the
// names that streets have. The same number gives the same streets.
type country struct {
	in      build.Input
	streets int
	words   []string // words, for persons and localities
}

const (
	numbersPerStreet = 8.7 // 26 million over 3 million streets
	commonNames      = 0.45
	namesOfPersons   = 0.25 // the rest are localities
)

var (
	madeKinds  = strings.Split("Rue Rue Rue Rue Rue Rue Chemin Chemin Impasse Impasse Avenue Allée Allée Place Route Route Boulevard Square Passage Ruelle Lotissement", " ")
	madeCommon = strings.Split(`de l'Église|de la Mairie|du Moulin|de la Gare|des Écoles|du Château|de la Fontaine|de la République|Victor Hugo|Jean Jaurès|du Stade|des Lilas|
du Général de Gaulle|de la Paix|Pasteur|du Cimetière|des Vignes|du 8 Mai 1945|du Lavoir|des Jardins|du Bois|de la Forge|du Four|des Acacias|des Roses|Jules Ferry|de la Liberté|
des Tilleuls|du Puits|de la Croix|du Pont|des Champs|de Verdun|Jean Moulin|des Prés|Principale|Neuve|Haute|Basse|du Maréchal Foch|du 11 Novembre|Émile Zola|Anatole France|Gambetta|
Voltaire|de Paris|de Lyon|des Peupliers|des Cerisiers|du Lac|de la Poste|du Port|des Chênes|du Soleil|de Bellevue|du Marché|Saint-Martin|Saint-Jean|Saint-Pierre|Notre-Dame|Pierre Curie|
Marie Curie|Louis Pasteur|Léon Blum|Georges Clemenceau|du Maréchal Leclerc|de la Plaine|de la Vallée|des Coquelicots|des Bleuets|du Muguet|des Noyers|du Verger|de la Source|du Ruisseau|
de la Chapelle|du Calvaire|des Écureuils|des Hirondelles|de l'Abbé Pierre|de l'Europe|du 19 Mars 1962|du 14 Juillet|de la Résistance|des Alouettes|du Clos|de la Ferme|des Frênes|du Parc`, "|")
	madeFirst = strings.Split("Jean Pierre Paul Jacques Louis Charles Henri Georges André Marcel Émile Jules Léon François Albert Marie Lucie Simone Rosa Hélène Auguste Gustave Édouard Maurice René Roger Lucien Victor Antoine Camille", " ")
	syllables = strings.Split("ba be bi bo bou cha che chi cor da de di do fa fe fi ga gi gou ja je la le li lou ma me mi mon na ne ni no pa pe pi po ra re ri ro sa se si so ta te ti tou va ve vi vou zan ville ange in on eau ac ert ard ier el et oux", " ")
)

// newCountry reads the communes from the starter data.
func newCountry(streets int) (*country, error) {
	file, err := os.Open(filepath.Join("data", "cog", "communes.json.gz"))
	if err != nil {
		return nil, fmt.Errorf("read the communes: %w", err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read the communes: %w", err)
	}
	var rows []struct {
		Code, Nom, Type, Zone, Departement, Commune, ChefLieu string
		CodesPostaux                                          []string
		Population                                            int
	}
	if err := json.NewDecoder(unpacked).Decode(&rows); err != nil {
		return nil, err
	}
	c := &country{streets: streets, in: build.Input{}}
	seen := map[string]bool{}
	dice := rand.New(rand.NewPCG(7, 7))
	for _, r := range rows {
		switch {
		case r.Zone == "com":
		case r.Type != "commune-actuelle":
			c.in.Parts = append(c.in.Parts, build.Part{Arrondissement: r.Commune != "", Code: r.Code, Name: r.Nom, Commune: r.Commune + r.ChefLieu,
				Population: r.Population, Postcodes: r.CodesPostaux})
		default:
			at := geocode.Point{Lat: 42.5 + 8*dice.Float64(), Lon: -1 + 8*dice.Float64()}
			c.in.Communes = append(c.in.Communes, build.Commune{Code: r.Code, Name: r.Nom, Departement: r.Departement,
				Population: r.Population, Postcodes: r.CodesPostaux, At: &at})
			if !seen[r.Departement] {
				seen[r.Departement] = true
				c.in.Departements = append(c.in.Departements, build.Departement{Code: r.Departement, Name: r.Departement})
			}
		}
	}
	for range 300_000 {
		var b strings.Builder
		for range 2 + dice.IntN(3) {
			b.WriteString(syllables[dice.IntN(len(syllables))])
		}
		word := b.String()
		c.words = append(c.words, strings.ToUpper(word[:1])+word[1:])
	}
	c.in.Addresses = c.makeAddresses
	return c, nil
}

// pickZipf picks the smaller numbers more often.
func pickZipf(dice *rand.Rand, n int) int { return int(math.Pow(float64(n), dice.Float64())) - 1 }

// pickWord is for a person or a locality: some are everywhere, many are in one place only.
func (c *country) pickWord(dice *rand.Rand) string {
	if dice.IntN(3) == 0 {
		return c.words[dice.IntN(len(c.words))]
	}
	return c.words[pickZipf(dice, len(c.words))]
}

func (c *country) streetName(dice *rand.Rand) (name string, locality bool) {
	switch kind := dice.Float64(); {
	case kind < commonNames:
		return madeKinds[dice.IntN(len(madeKinds))] + " " + strings.TrimSpace(madeCommon[pickZipf(dice, len(madeCommon))]), false
	case kind < commonNames+namesOfPersons:
		return madeKinds[dice.IntN(len(madeKinds))] + " " + madeFirst[pickZipf(dice, len(madeFirst))] + " " + c.pickWord(dice), false
	case kind < 0.85:
		return madeKinds[dice.IntN(len(madeKinds))] + " de " + c.pickWord(dice), false
	default:
		return []string{"Le", "La", "Les"}[dice.IntN(3)] + " " + c.pickWord(dice), true
	}
}

// makeAddresses makes the numbers of every street, commune after commune.
func (c *country) makeAddresses(_ context.Context, each func(build.Address) error) error {
	dice := rand.New(rand.NewPCG(1, uint64(c.streets)))
	var whole float64
	size := func(k build.Commune) float64 { return math.Pow(float64(k.Population)+50, 0.75) }
	for _, k := range c.in.Communes {
		whole += size(k)
	}
	for _, k := range c.in.Communes {
		names := map[string]bool{}
		for range int(math.Round(size(k) / whole * float64(c.streets))) {
			name, locality := c.streetName(dice)
			for names[name] {
				name, locality = c.streetName(dice)
			}
			names[name] = true
			if err := c.makeStreet(dice, k, name, locality, each); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *country) makeStreet(dice *rand.Rand, k build.Commune, name string, locality bool, each func(build.Address) error) error {
	a := build.Address{Code: k.Code, Name: name, Locality: locality}
	if len(k.Postcodes) > 0 {
		a.Postcode = k.Postcodes[dice.IntN(len(k.Postcodes))]
	}
	a.At = geocode.Point{Lat: k.At.Lat + dice.NormFloat64()/100, Lon: k.At.Lon + dice.NormFloat64()/100}
	if locality {
		return each(a)
	}
	count := 1 + int(dice.ExpFloat64()*numbersPerStreet/0.85)
	for range count {
		a.Number += 1 + dice.IntN(2)
		a.At.Lat += dice.NormFloat64() / 8000
		a.At.Lon += dice.NormFloat64() / 8000
		a.Suffix = ""
		if dice.IntN(25) == 0 {
			a.Suffix = "bis"
		}
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// buildApart builds in a process of its own, so that its memory is not counted with that of the search.
func buildApart(ctx context.Context, path string, streets int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, benchName, geocodeBuild, "--state", path, "--streets", fmt.Sprint(streets))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
