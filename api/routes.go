package api

// Root is the path below which all operations live.
const Root = "/api/v1"

// Operations is the operations table, in the order of the documentation.
func Operations() []Operation {
	ops := []Operation{
		getIndex(),
		listRegions(), getRegion(),
		listDepartements(), getDepartement(),
		findCommunes(), getCommune(),
		searchAddress(),
		getParcelAtPoint(), getParcel(), getParcelEnrichments(),
	}
	for i := range ops {
		ops[i].number = uint8(i)
		ops[i].Cost = 1 // so far, all of them
	}
	return ops
}

// unknownPath counts what reaches /api/v1 without being an operation.
const unknownPath = "unknown_path"

// OperationNames are the names usage is counted under, by number.
func OperationNames() []string {
	var names []string
	for _, op := range Operations() {
		names = append(names, op.Name)
	}
	return append(names, unknownPath)
}
