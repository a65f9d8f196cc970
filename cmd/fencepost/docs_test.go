package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/examples"
)

// What README.md and docs/*.md say of the command is held against the command:
//
//   - A block of code with lines "$ COMMAND" is a session. Its commands are run by a shell, in a folder that
//     the page has to itself, with the examples in it, and print what stands below them. Times and
//     sizes of memory may be others, and a line "..." stands for any lines.
//   - A block whose first line is "```LANGUAGE FILE" is a file that the sessions after it find in their folder.
//   - Other blocks, and code within lines, that begin with "fencepost" have commands and flags that exist. If
//     nothing in them is a name for something else (FILE, DIR), they are run as well, and what they are given
//     is no error.
//   - A comment before a block makes exceptions: "<!-- not run: WHY -->", and "<!-- slow: WHY -->" for what
//     -short leaves out.
//
// With FENCEPOST_UPDATE=1, sessions that print something else are written anew.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	shell := newShell(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(pages, "../../README.md") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &docPage{t: t, lines: strings.Split(string(text), "\n"), shell: shell, dir: t.TempDir()}
			if err := os.CopyFS(filepath.Join(p.dir, "examples"), examples.Files); err != nil {
				t.Fatal(err)
			}
			p.read()
			if p.changed && os.Getenv("FENCEPOST_UPDATE") != "" {
				if err := os.WriteFile(file, []byte(strings.Join(p.lines, "\n")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			p.pictures(filepath.Dir(file))
		})
	}
}

// A docPage is a page that is read from its first line to its last.
type docPage struct {
	t       *testing.T
	lines   []string
	shell   []string // its environment
	dir     string   // where its commands run
	status  int      // of the last one
	changed bool     // by updates
}

// newShell is an environment in which fencepost is this binary.
func newShell(t *testing.T) []string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "fencepost")); err != nil {
		t.Skip(err)
	}
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "FENCEPOST_TEST_MAIN=1", "NO_COLOR=1", "TERM=dumb", "HOME=" + t.TempDir()}
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !slices.Contains([]string{"PATH", "NO_COLOR", "TERM", "HOME", "FENCEPOST_CORPUS", "FENCEPOST_UPDATE"}, name) {
			env = append(env, e)
		}
	}
	return env
}

// run has a command run, and says what it prints on either stream.
func (p *docPage) run(command string) string {
	command = strings.ReplaceAll(command, "go run ./cmd/fencepost", "fencepost")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("(exit %d)\n%s", p.status, command))
	cmd.Dir, cmd.Env = p.dir, p.shell
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Run()
	p.status = cmd.ProcessState.ExitCode()
	return out.String()
}

// Marks are comments before blocks.
var mark = regexp.MustCompile(`^<!-- (not run|slow): .+ -->$`)

// read goes through the lines.
func (p *docPage) read() {
	fence, kind := "", "" // of the block that the line is in
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		opens := strings.HasPrefix(strings.TrimSpace(line), "```")
		indented := strings.HasPrefix(line, "    ") && fence == ""
		switch {
		case opens && fence == "":
			fence = line[:strings.Index(line, "```")+3]
			kind = p.mark(i)
			_, name, file := strings.Cut(strings.TrimPrefix(line, fence), " ")
			if file {
				i = p.file(name, i)
				fence = ""
			}
		case opens:
			fence, kind = "", ""
		case fence != "" && strings.HasPrefix(line, "$ "):
			if kind == "" || kind == "slow" && !testing.Short() {
				i = p.session(i)
			} else {
				p.mention(i, strings.TrimPrefix(line, "$ "), false)
			}
		case indented:
			if i == 0 || !strings.HasPrefix(p.lines[i-1], "    ") {
				kind = p.mark(i)
			}
			p.block(i, strings.TrimSpace(line), kind)
		case fence != "":
			p.block(i, line, kind)
		default:
			p.spans(i, line)
		}
	}
}

// mark is what the comment before the block that begins at line i says.
func (p *docPage) mark(i int) string {
	for i--; i >= 0; i-- {
		if m := mark.FindStringSubmatch(p.lines[i]); m != nil {
			return m[1]
		}
		if p.lines[i] != "" {
			break
		}
	}
	return ""
}

// file writes the block that begins at line i, and gives its last line.
func (p *docPage) file(name string, i int) int {
	var text strings.Builder
	for i++; i < len(p.lines) && p.lines[i] != "```"; i++ {
		text.WriteString(p.lines[i] + "\n")
	}
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		p.t.Fatal(err)
	}
	return i
}

// session runs the command of line i, compares what it prints, and gives the last line of that.
func (p *docPage) session(i int) int {
	from := i + 1
	to := from
	for to < len(p.lines) && !strings.HasPrefix(p.lines[to], "$ ") && p.lines[to] != "```" {
		to++
	}
	want := p.lines[from:to]
	command := strings.TrimPrefix(p.lines[i], "$ ")
	p.mention(i, command, false) // so that no update writes down an error for an answer
	out := p.run(command)
	got := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if got[0] == "" && len(got) == 1 {
		got = nil
	}
	if p.status == exitInternal {
		p.t.Errorf("line %d: %s\n%s", i+1, p.lines[i], out)
	}
	// Empty lines before the next command or the end of the block are for the eye.
	for len(want) > 0 && want[len(want)-1] == "" {
		want = want[:len(want)-1]
		to--
	}
	if prints(want, got) {
		return to - 1
	}
	if os.Getenv("FENCEPOST_UPDATE") == "" {
		p.t.Errorf("line %d: %s\nprints\n%s\nand not\n%s", i+1, p.lines[i], strings.Join(got, "\n"), strings.Join(want, "\n"))
		return to - 1
	}
	p.lines = slices.Replace(p.lines, from, to, got...)
	p.changed = true
	return from + len(got) - 1
}

// varies is what is another number each time.
var varies = regexp.MustCompile(`\d+(\.\d+)? (s|ms|[KMG]iB)\b|[\d,]+ (executions|states) a second|^Time \S+ \d+\.\d+$`)

// numbers are those of the effort that an answer took, which another version may do without.
var numbers = regexp.MustCompile(`[\d,]+`)

// prints is whether the lines are those that are wanted, of which "..." are any.
func prints(want, got []string) bool {
	var re strings.Builder
	for _, line := range want {
		if line == "..." {
			re.WriteString(`(.*\n)*?`)
			continue
		}
		re.WriteString(regexp.QuoteMeta(steady(line)) + `\n`)
	}
	var text strings.Builder
	for _, line := range got {
		text.WriteString(steady(line) + "\n")
	}
	return regexp.MustCompile(`^` + re.String() + `$`).MatchString(text.String())
}

// steady is a line without what varies, and without spaces at its end.
func steady(line string) string {
	if strings.HasPrefix(line, "  effort ") {
		line = numbers.ReplaceAllString(line, "#")
	}
	return strings.TrimRight(varies.ReplaceAllString(line, "#"), " ")
}

// spans are the pieces of code within a line.
var spans = regexp.MustCompile("`([^`]+)`")

func (p *docPage) spans(i int, line string) {
	for _, m := range spans.FindAllStringSubmatch(line, -1) {
		p.mention(i, strings.ReplaceAll(m[1], `\|`, "|"), true)
	}
}

// block is a line of a block that is no session.
func (p *docPage) block(i int, line, kind string) {
	// What follows is a remark.
	line, _, _ = strings.Cut(line, " #")
	if at := regexp.MustCompile(`\S   +\S`).FindStringIndex(line); at != nil {
		line = line[:at[0]+1]
	}
	p.mention(i, line, kind == "")
}

// Names for something else, whatever stands around them.
var placeholder = regexp.MustCompile(`(^|[=|./@])(FILE|DIR|CERTIFICATE|PROGRAM|RUN|NAME|SHELL|COMMAND|URL)([.|]|$)|^[\[.]|^N$|^[a-z]+\|`)

// Commands of which it is the nature that they do not come to an end by themselves, or look at the machine.
var endless = []string{"serve", "lsp", "hw", "selftest", "worker", "batch"}

// mention is about a command that the page names.
func (p *docPage) mention(i int, command string, run bool) {
	for _, dir := range regexp.MustCompile(`go (?:run|test) (?:-\S+ )*(\./\S+)`).FindAllStringSubmatch(command, -1) {
		if _, err := os.Stat(filepath.Join("../..", strings.TrimSuffix(dir[1], "/..."))); err != nil {
			p.t.Errorf("line %d: %s: %v", i+1, command, err)
		}
	}
	rest, ok := strings.CutPrefix(strings.Replace(command, "go run ./cmd/fencepost", "fencepost", 1), "fencepost ")
	if !ok || strings.HasPrefix(rest, "certificate ") {
		return
	}
	words := strings.Fields(rest)
	if placeholder.MatchString(words[0]) {
		return
	}
	if strings.Contains(words[0], "|") { // one of several
		for _, w := range strings.Split(words[0], "|") {
			p.mention(i, "fencepost "+strings.Join(append([]string{w}, words[1:]...), " "), false)
		}
		return
	}
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	cmd, args, err := root.Find(words)
	if err != nil || cmd.Parent() == nil && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		p.t.Errorf("line %d: %s: there is no such command", i+1, command)
		return
	}
	p.flags(i, cmd, command, args)
	if !run || len(args) == 0 || slices.Contains(endless, words[0]) || slices.ContainsFunc(args, placeholder.MatchString) || slices.ContainsFunc(args, func(s string) bool { return s == ">" }) {
		return
	}
	if cmd.HasSubCommands() || slices.ContainsFunc(args, func(s string) bool { return !strings.HasPrefix(s, "-") }) {
		if out := p.run(command); p.status == exitInput || p.status == exitInternal {
			p.t.Errorf("line %d: %s: status %d\n%s", i+1, command, p.status, out)
		}
	}
}

// flags looks for the flags of a command that is named.
func (p *docPage) flags(i int, cmd *cobra.Command, command string, args []string) {
	cmd.InitDefaultHelpFlag()
	for _, a := range args {
		a = strings.Trim(a, "[]")
		long, ok := strings.CutPrefix(a, "--")
		long, _, _ = strings.Cut(long, "=")
		switch {
		case ok && long != "" && cmd.Flags().Lookup(long) == nil:
			p.t.Errorf("line %d: %s: there is no flag --%s", i+1, command, long)
		case !ok && len(a) == 2 && a[0] == '-' && cmd.Flags().ShorthandLookup(a[1:]) == nil:
			p.t.Errorf("line %d: %s: there is no flag %s", i+1, command, a)
		}
	}
}

// pictures holds those that the commands of the page have drawn against the ones that the page shows.
func (p *docPage) pictures(dir string) {
	for _, m := range regexp.MustCompile(`!\[[^\]]*\]\(([^)]*\.svg)\)`).FindAllStringSubmatch(strings.Join(p.lines, "\n"), -1) {
		shown := filepath.Join(dir, m[1])
		drawn, err := os.ReadFile(filepath.Join(p.dir, filepath.Base(shown)))
		if err != nil {
			continue // a bench has drawn it
		}
		if text, err := os.ReadFile(shown); err != nil && !os.IsNotExist(err) || !bytes.Equal(text, drawn) {
			if os.Getenv("FENCEPOST_UPDATE") == "" {
				p.t.Errorf("%s is not what the page's commands draw", m[1])
			} else if err := os.WriteFile(shown, drawn, fs.FileMode(0o666)); err != nil {
				p.t.Error(err)
			}
		}
	}
}
