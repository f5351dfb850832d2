package snapshot

// WriteLocked is writeLocked.
var WriteLocked = writeLocked
