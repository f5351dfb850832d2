package cog

// formerDepartements are the names that départements had, by the words of FoldName without article, with the
// codes of those of today that have their territory.
var formerDepartements = map[string][]string{
	"basses alpes": {"04"}, "basses pyrenees": {"64"}, "charente inferieure": {"17"}, "cotes du nord": {"22"},
	"loire inferieure": {"44"}, "seine inferieure": {"76"},
	"corse": {"2A", "2B"}, "seine": {"75", "92", "93", "94"}, "seine et oise": {"78", "91", "92", "93", "94", "95"},
}

// FindFormerDepartement gives the codes of the départements of today that were one under a name in lower
// case, without accents: one where it changed its name, several where it was divided.
func FindFormerDepartement(name string) []string { return formerDepartements[name] }
