package update

// Lock keeps other updates out until its function is called.
var Lock = lockUpdates
