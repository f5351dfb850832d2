package management

// DecideRate is decideRate.
var DecideRate = decideRate
