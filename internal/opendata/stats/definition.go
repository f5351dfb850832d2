package stats

// Definition says what a computed figure is, where the answer has it.
type Definition struct {
	Text string `json:"text" doc:"What the figure is, in a sentence."`
	Link string `json:"link" doc:"Path, on this service, of the public page that explains how it is computed. It stays the same." example:"/methods#crime"`
}

// Define says what a figure is. anchor is a section of the page on methods; a test follows every link.
func Define(text, anchor string) *Definition { return &Definition{text, "/methods#" + anchor} }
