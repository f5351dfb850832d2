package cog

import "strings"

// regionAbbreviations are the régions of the mainland by the abbreviations of ISO 3166-2:FR and those that
// people and administrations use, in lower case.
var regionAbbreviations = map[string]string{
	"ara": "84", "aura": "84", "bfc": "27", "bre": "53", "bzh": "53", "cvl": "24", "ges": "44", "hdf": "32",
	"idf": "11", "naq": "75", "nor": "28", "occ": "76", "pac": "93", "paca": "93", "pdl": "52",
}

// FindRegionByAbbreviation gives the code of the région that an abbreviation stands for, whatever its
// capitals.
func FindRegionByAbbreviation(text string) (code string, ok bool) {
	code, ok = regionAbbreviations[strings.ToLower(strings.TrimSpace(text))]
	return code, ok
}
