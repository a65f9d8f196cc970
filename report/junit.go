package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// JUnitFormat is a document of test cases in XML, as build servers show them: an UNSAFE
// program has failed, one that is UNKNOWN or cannot be read is an error.
const JUnitFormat Format = "junit"

type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Time     string `xml:"time,attr"`
		Cases    string `xml:",innerxml"`
	}
	junitCase struct {
		XMLName xml.Name      `xml:"testcase"`
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
)

func junitPart(r *verdict.Result, file string) (string, error) {
	c := junitCase{Class: file, Name: string(r.About()) + " under " + modelName(r.Model()), Time: seconds(r.Elapsed.Seconds())}
	var text bytes.Buffer
	if err := Text(&text, r, Options{}); err != nil {
		return "", err
	}
	switch {
	case r.Unsafe():
		c.Failure = &junitProblem{"UNSAFE", violated(r), text.String()}
	case !r.Safe():
		c.Error = &junitProblem{"UNKNOWN", oneLine(r.Reason()), text.String()}
	}
	return element(c)
}

func junitError(file string, fault error) (string, error) {
	return element(junitCase{Class: file, Name: "read", Time: seconds(0), Error: &junitProblem{faultVerdict(fault), oneLine(fault.Error()), fault.Error()}})
}

func element(c junitCase) (string, error) {
	b, err := xml.MarshalIndent(c, "    ", "  ")
	return string(b) + "\n", err
}

func junitDocument(w io.Writer, parts []Part) error {
	all := junitSuite{Name: "fencepost", Tests: len(parts), Cases: "\n"}
	sum := 0.0
	for _, p := range parts {
		switch p.Verdict {
		case "SAFE":
		case "UNSAFE":
			all.Failures++
		default:
			all.Errors++
		}
		sum += p.Seconds
		all.Cases += p.Text
	}
	all.Time = seconds(sum)
	all.Cases += "  "
	b, err := xml.MarshalIndent(junitSuites{Tests: all.Tests, Failures: all.Failures, Errors: all.Errors, Time: all.Time, Suite: all}, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(b)+"\n")
	return err
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// violated says in one line what is violated.
func violated(r *verdict.Result) string {
	v := r.Violation()
	if v == nil {
		return "the program is not safe"
	}
	return cmp.Or(oneLine(violationText(r.Program(), v)), "the program is not safe")
}
