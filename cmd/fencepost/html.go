package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A pages is what --html asks for.
type pages struct {
	file string // "": no page
	docs []*fencepost.Document
	left int // documents beyond mostDocuments
}

// mostDocuments is how many answers a page has at most.
const mostDocuments = 500

// htmlFlag adds the flag. The page is written when the command has done its work.
func (a *app) htmlFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.pages.file, "html", "", "write the answer and its evidence as a page into `FILE`")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if a.pages.file == "" {
			return nil
		}
		if ext := filepath.Ext(a.pages.file); ext != ".html" && ext != ".htm" {
			return fmt.Errorf("--html: want a file .html, not %q", a.pages.file)
		}
		if err := writable(a.pages.file); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
		return nil
	}
	cmd.PostRun = func(*cobra.Command, []string) { a.writePage() }
}

// page keeps a document for the page, where there is to be one.
func (a *app) page(doc func() *fencepost.Document) {
	switch {
	case a.pages.file == "":
	case len(a.pages.docs) >= mostDocuments:
		a.pages.left++
	default:
		a.pages.docs = append(a.pages.docs, doc())
	}
}

func (a *app) writePage() {
	if a.pages.file == "" || len(a.pages.docs) == 0 {
		return
	}
	if a.pages.left > 0 {
		fmt.Fprintf(a.stderr, "fencepost: the page has the first %d answers; %d are left out\n", mostDocuments, a.pages.left)
	}
	f, err := os.Create(a.pages.file)
	if err == nil {
		err = errors.Join(fencepost.WritePage(f, a.pages.docs), f.Close())
	}
	if err != nil {
		a.end(map[int]bool{a.status: true, a.fail("", fencepost.Text, &outputError{a.pages.file, err}): true})
	}
}
