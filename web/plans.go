package web

import (
	"strconv"

	"arpent/billing"
)

// Price is what a plan costs a month.
func (l Lang) Price(p billing.Plan) string {
	if p.PriceEuros == 0 {
		return l.Pick("gratuit", "free")
	}
	return l.Pick(strconv.Itoa(p.PriceEuros)+"\u00a0€", "€"+strconv.Itoa(p.PriceEuros))
}

// Prices is what the plans cost, and how many requests a day each gives, in a sentence.
func (l Lang) Prices(plans []billing.Plan) string {
	text := ""
	for _, p := range plans {
		if day := l.Number(p.PerDay); p.PriceEuros == 0 {
			text += l.Pick("Gratuit jusqu’à "+day+" requêtes par jour", "Free up to "+day+" requests per day")
		} else {
			text += ", " + l.Price(p) + l.Pick(" pour ", " for ") + day
		}
	}
	return text + "."
}
