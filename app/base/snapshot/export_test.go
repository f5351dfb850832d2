package snapshot

// For tests.
var WriteTo = writeTo
