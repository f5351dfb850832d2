package api

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts answers by operation and status class, and how long they took. It keeps plain counters,
// which cost a request a quarter of what the library's own do, and hands them to Prometheus when it asks.
type Metrics struct {
	names      []string
	operations []operationMetrics
}

type operationMetrics struct {
	answers [6]atomic.Uint64                  // by status class
	within  [len(durations) + 1]atomic.Uint64 // by the first of durations that is not exceeded
	total   atomic.Int64                      // nanoseconds
}

// durations are the upper bounds of the histogram.
var durations = [...]time.Duration{50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond,
	5 * time.Millisecond,
	20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 10 * time.Second}

var (
	answersDesc = prometheus.NewDesc("arpent_operation_requests_total",
		"Answers given by operations of the API, to tools too, by operation and status class.",
		[]string{"operation", "status"}, nil)
	durationDesc = prometheus.NewDesc("arpent_operation_duration_seconds",
		"Time from reading a request of the API to its answer being ready, by operation.",
		[]string{"operation"}, nil)
)

// NewMetrics registers its counters with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	names := OperationNames()
	m := &Metrics{names: names, operations: make([]operationMetrics, len(names))}
	reg.MustRegister(m)
	return m
}

func (m *Metrics) recordAnswer(operation uint8, status int, took time.Duration) {
	o := &m.operations[operation]
	o.answers[status/100].Add(1)
	o.total.Add(int64(took))
	i := 0
	for i < len(durations) && took > durations[i] {
		i++
	}
	o.within[i].Add(1)
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	out <- answersDesc
	out <- durationDesc
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for i := range m.operations {
		o := &m.operations[i]
		for class := 1; class < len(o.answers); class++ {
			out <- prometheus.MustNewConstMetric(answersDesc, prometheus.CounterValue,
				float64(o.answers[class].Load()), m.names[i], strconv.Itoa(class)+"xx")
		}
		count, buckets := uint64(0), map[float64]uint64{}
		for j := range durations {
			count += o.within[j].Load()
			buckets[durations[j].Seconds()] = count
		}
		count += o.within[len(durations)].Load()
		total := time.Duration(o.total.Load()).Seconds()
		out <- prometheus.MustNewConstHistogram(durationDesc, count, total, buckets, m.names[i])
	}
}
