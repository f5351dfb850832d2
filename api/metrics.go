package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Statistics counts answers by operation and status class, and how long they took.
type Statistics struct {
	answers  [][6]prometheus.Counter // by operation number and status class
	duration []prometheus.Observer
}

// NewStatistics registers its counters with reg.
func NewStatistics(reg prometheus.Registerer) *Statistics {
	answers := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_requests_total",
		Help: "Answers given, by operation and status class."}, []string{"operation", "status"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "arpent_request_seconds",
		Help:    "Time from reading a request to its answer being ready, by operation.",
		Buckets: []float64{.00005, .0002, .001, .005, .02, .1, .5, 2, 10}}, []string{"operation"})
	reg.MustRegister(answers, duration)
	s := &Statistics{}
	for _, name := range OperationNames() {
		var row [6]prometheus.Counter
		for class := 1; class < len(row); class++ {
			row[class] = answers.WithLabelValues(name, strconv.Itoa(class)+"xx")
		}
		s.answers = append(s.answers, row)
		s.duration = append(s.duration, duration.WithLabelValues(name))
	}
	return s
}

func (s *Statistics) observe(operation uint8, status int, took time.Duration) {
	s.answers[operation][status/100].Inc()
	s.duration[operation].Observe(took.Seconds())
}
