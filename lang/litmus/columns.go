package litmus

import (
	"fmt"
	"strings"
)

// WriteColumns writes what threads do as litmus tests have it: a column for each of them, under
// its name, and below each other the rows.
func WriteColumns(b *strings.Builder, columns [][]string) {
	rows := 0
	widths := make([]int, len(columns))
	for i, c := range columns {
		rows = max(rows, len(c))
		widths[i] = len(fmt.Sprintf("P%d", i))
		for _, cell := range c {
			widths[i] = max(widths[i], len(cell))
		}
	}
	line := func(cell func(i int) string) {
		for i := range columns {
			if i > 0 {
				b.WriteString(" |")
			}
			fmt.Fprintf(b, " %-*s", widths[i], cell(i))
		}
		b.WriteString(" ;\n")
	}
	line(func(i int) string { return fmt.Sprintf("P%d", i) })
	for r := range rows {
		line(func(i int) string {
			if r < len(columns[i]) {
				return columns[i][r]
			}
			return ""
		})
	}
}
