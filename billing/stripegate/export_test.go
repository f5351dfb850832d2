package stripegate

// Relevant is isRelevant, for tests.
var Relevant = isRelevant

// CheckInterval is checkInterval, for tests.
var CheckInterval = checkInterval
