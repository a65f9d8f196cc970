package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fencepost-verifier/fencepost/internal/playground"
	"github.com/fencepost-verifier/fencepost/internal/playground/host"
)

// screenshots names the environment variable of a folder that the tests leave pictures in.
const screenshots = "FENCEPOST_SCREENSHOTS"

// A tab is one of a browser without a window.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// patient is how long something may take that a page does, on a machine however busy.
const patient = 3 * time.Minute

// installed is a browser that is installed. It skips the test where none is.
func installed(t *testing.T) (path string) {
	t.Helper()
	if testing.Short() {
		t.Skip("drives a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	t.Skip("no browser is installed here: chromium or google-chrome on the path would be driven")
	return ""
}

// browser is a tab; what goes wrong in a page fails the test.
func browser(t *testing.T, path string) *tab {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1400, 1000))
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page has an exception: %+v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				t.Errorf("the page complains: %+v", e.Args)
			}
		}
	}); err != nil {
		t.Skipf("the browser that is installed here does not start: %v", err)
	}
	return &tab{t, ctx}
}

// open goes to an address.
func (b *tab) open(address string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatal(err)
	}
}

// eval is the value of an expression, as text.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	for begin := time.Now(); b.eval("!!("+expression+")") != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Since(begin) > patient {
			b.t.Fatalf("it never is that %s", expression)
		}
	}
}

// text is what an element says, once it is there.
func (b *tab) text(selector string) string {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)", selector))
	return b.eval(fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q) && !document.querySelector(%q).disabled", selector, selector))
	b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// set gives a field a value, as somebody who types.
func (b *tab) set(id, value string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("input")); e.dispatchEvent(new Event("change")); })()`, id, value))
}

// picture leaves a picture of the tab, where they are asked for.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), png, 0o666)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// TestPageInBrowser: the page of an answer goes through the run by the keyboard, tells what it
// shows, and takes no text of a program for markup.
func TestPageInBrowser(t *testing.T) {
	b := browser(t, installed(t))
	dir := t.TempDir()
	source := filepath.Join(dir, "x.imp")
	text, err := os.ReadFile("../../examples/dekker.imp")
	if err != nil {
		t.Fatal(err)
	}
	evil := "// </script><script>document.title = 'evil'</script><img src=x onerror=\"document.title='evil'\">\n"
	if err := os.WriteFile(source, append([]byte(evil), text...), 0o666); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.html")
	runReal(t, "check --html "+page+" "+source)
	b.open("file://" + page)
	if end := b.text(".fp-now"); !strings.HasPrefix(end, "Step 6 of 6") {
		t.Errorf("at first it is at %q", end)
	}
	if title, images := b.eval("document.title"), b.eval(`document.images.length`); title != "UNSAFE "+source || images != "0" {
		t.Errorf("the title is %q, with %s images", title, images)
	}
	for _, key := range []struct{ key, says string }{
		{kb.Home, "Before the first step"}, {kb.ArrowRight, "Step 1 of 6: P0: flag0 := 1 (buffered)"}, {kb.ArrowRight, "Step 2 of 6"}, {kb.ArrowLeft, "Step 1 of 6"}, {kb.End, "Step 6 of 6"},
	} {
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key.key)); err != nil {
			t.Fatal(err)
		}
		if got := b.text(".fp-now"); !strings.HasPrefix(got, key.says) {
			t.Errorf("after the key it says %q, not %q", got, key.says)
		}
	}
	b.click(`button[title="where SC and TSO part"]`)
	parts := b.text(".fp-now")
	if !strings.Contains(parts, "Here SC and TSO part") || b.eval(`document.querySelector("input[type=range]").getAttribute("aria-valuetext")`) != parts {
		t.Errorf("where they part it says %q", parts)
	}
	if chip, lit := b.text(".fp-src li.fp-cur .fp-chip"), b.eval(`document.querySelectorAll(".fp-node.fp-cycle").length`); chip != "P1" || lit != "4" {
		t.Errorf("the step is of %q, %s events are on the cycle", chip, lit)
	}
	b.picture("page.png")

	// Hundreds of steps: the slider and the keys go through all of them, and who has ended says so.
	runReal(t, "check --full -D N=60 --html "+page+" ../../examples/thesis/fig5.4.imp")
	b.open("file://" + page)
	end := b.text(".fp-now")
	b.eval(`(() => { const r = document.querySelector("input[type=range]"); r.value = 200; r.dispatchEvent(new Event("input")); })()`)
	if got := b.text(".fp-now"); !strings.HasPrefix(got, "Step 200 of ") || !strings.HasPrefix(b.text(".fp-steps .fp-cur .fp-n"), "200") {
		t.Errorf("the slider has come to %q", got)
	}
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.End)); err != nil {
		t.Fatal(err)
	}
	if got := b.text(".fp-now"); got != end {
		t.Errorf("after the key it says %q, not %q", got, end)
	}
	runReal(t, "check --html "+page+" ../../examples/chase-lev.imp")
	b.open("file://" + page)
	b.text(".fp-now")
	if got := b.eval(`[...document.querySelectorAll(".fp-chip")].map((c) => c.textContent)`); got != "Owner ended,Thief ended" {
		t.Errorf("in the end the threads are %q", got)
	}
}

// TestPlaygroundInBrowser: the page answers, says what is wrong, puts fences in, carries a
// program in its address, and stops.
func TestPlaygroundInBrowser(t *testing.T) {
	path := installed(t)
	w, err := builtWasm()
	if err != nil {
		t.Fatal(err)
	}
	b := browser(t, path)
	files, err := playground.Site(w)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host.Handler(files, true))
	defer server.Close()
	const idle = `!document.getElementById("check").disabled`
	// Who asks before the checker is there gets the answer when it is; who asks after that, at once.
	for _, before := range []string{"true", `document.getElementById("state").textContent === "ready"`} {
		b.open("about:blank")
		b.open(server.URL)
		b.wait(idle)
		b.wait(before)
		b.click("#check")
		if word := b.text(".fp-word"); word != "UNSAFE" {
			t.Errorf("store buffering is %s", word)
		}
		b.wait(idle)
		t.Logf("store buffering, after %s: %s", before, b.text("#state"))
	}
	b.picture("playground.png")

	b.set("example", "dekker.imp")
	b.set("text", "program P\nvariables x = 0\nprocess Q begin y := 1 end\n")
	b.wait(`document.querySelector(".pg-bad")`)
	if problem, at := b.text("#problem"), b.text(".pg-bad"); !strings.HasPrefix(problem, "line 3") || at != "y" {
		t.Errorf("the problem is %q, at %q", problem, at)
	}

	b.set("example", "dekker.imp")
	b.click("#fences")
	b.text(".fp-apply")
	b.picture("fences.png")
	b.wait(idle)
	b.click(".fp-apply")
	b.wait(`document.querySelector(".fp-word.fp-good") && !document.querySelector(".fp-apply")`)
	fenced := b.eval(`document.getElementById("text").value`)
	if word := b.text(".fp-word"); strings.Count(fenced, "fence") < 4 || word != "SAFE" {
		t.Errorf("with the fences it is %s:\n%s", word, fenced)
	}

	b.wait(idle)
	b.click("#link")
	b.wait("location.hash.length > 10")
	address := b.eval("location.href")
	if u, err := url.Parse(address); err != nil || !strings.HasPrefix(u.Fragment, "p=") {
		t.Errorf("the address is %s", address)
	}
	b.open("about:blank")
	b.open(address)
	b.wait(idle)
	if text := b.eval(`document.getElementById("text").value`); text != fenced {
		t.Errorf("the link carries\n%s", text)
	}

	// Something that takes long is stopped, and the next question has an answer.
	b.set("text", strings.ReplaceAll(long, "N", "9"))
	b.set("engine", "explicit")
	b.set("seconds", "1000")
	b.click("#check")
	b.wait(`document.getElementById("state").textContent.includes("states")`) // progress
	t.Logf("progress: %s", b.text("#state"))
	b.click("#stop")
	b.wait(idle)
	if state := b.text("#state"); state != "stopped" {
		t.Errorf("after the button it is %q", state)
	}
	b.set("example", "litmus/SB.litmus")
	b.set("engine", "")
	b.click("#check")
	b.text(".fp-word.fp-bad")
}

// long is a program with too many states to be searched while somebody waits.
const long = `program Long
variables x[N] = 0
process P[i in 0..N-1]
  local r, k
begin
  while true do
    x[i] := any(0..9);
    r := x[(i + 1) % N];
    k := (k + r) % 100
  od
end
forbid x[0] > 9
`
