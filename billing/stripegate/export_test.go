package stripegate

// Relevant is isRelevant, for tests.
var Relevant = isRelevant
