package environment

import (
	"context"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// monthlyFiles are the two files of a département, or of all. The years in their names move on each January;
// 99 stands for the Pacific, and the years before 1950 are not read.
func monthlyFiles(departement string) producer.S3 {
	return producer.S3{
		Bucket: "https://object.files.data.gouv.fr/meteofrance", Prefix: "data/synchro_ftp/BASE/MENS/",
		File: `^MENSQ_` + departement + `_(previous-1950-20\d\d|latest-20\d\d-20\d\d)\.csv\.gz$`,
	}
}

// formerCorse asks for both départements of Corse as the former one,
// 20, which the producer's files still have.
type formerCorse struct{ producer.S3 }

// Resolve implements fetch.Resolver.
func (f formerCorse) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	if p.Departement == "2A" || p.Departement == "2B" {
		p.Departement = "20"
	}
	return f.S3.Resolve(ctx, c, p)
}

func monthlyOrigins() []fetch.Origin {
	o := fetch.Origin{
		From: monthlyFiles(`([0-8]\d|9[0-5]|97[1-6])`), Rhythm: "monthly",
		Evidence: fetch.Read, Basis: "public source code, also for the listing; datagouv/datagouvfr_data_pipelines, data_processing/meteo/config.json (the dataset)", ReadOn: "2026-10",
	}
	of := o
	of.From, of.Area = formerCorse{monthlyFiles("{departement}")}, fetch.Departement
	return []fetch.Origin{o, of}
}
