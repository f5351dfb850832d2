package stripesim

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// invoicePDF is a document of one page that says that it is no invoice.
func (s *Simulator) invoicePDF(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	i, ok := s.invoices.get(r.PathValue("id"))
	var lines []string
	if ok {
		lines = []string{"SIMULATION - not an invoice", i.number, i.created.UTC().Format("2006-01-02"),
			fmt.Sprintf("Total %d.%02d EUR, of which tax %d.%02d", i.total()/100, i.total()%100, i.taxCents/100, i.taxCents%100)}
	}
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/pdf")
	_, _ = w.Write(pdf(lines))
}

// pdf writes lines of plain letters on one page.
func pdf(lines []string) []byte {
	var text strings.Builder
	text.WriteString("BT /F1 14 Tf 20 TL 60 780 Td ")
	for _, l := range lines {
		fmt.Fprintf(&text, "(%s) Tj T* ", strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(l))
	}
	text.WriteString("ET")
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for n, body := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, body)
	}
	at := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, at)
	return out.Bytes()
}
