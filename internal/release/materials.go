package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"runtime/debug"
	"slices"
	"strings"
)

// The parts of a bill of materials in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json) that there is
// something to say for.
type (
	bill struct {
		Format   string    `json:"bomFormat"`
		Spec     string    `json:"specVersion"`
		Version  int       `json:"version"`
		Metadata metadata  `json:"metadata"`
		Parts    []part    `json:"components"`
		Needs    []depends `json:"dependencies"`
	}
	metadata struct {
		Component part `json:"component"`
	}
	part struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		URL        string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	depends struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

// materials is the bill of what a binary says that it was made of.
func materials(binary string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(list(info), "", "  ")
	return append(text, '\n'), err
}

// list is the modules, and Go's library, in the order of their names.
func list(info *debug.BuildInfo) bill {
	main := component("application", info.Main.Path, info.Main.Version)
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "vcs.revision", "vcs.modified"}, s.Key) {
			main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{main}, Parts: []part{
		component("library", "std", strings.TrimPrefix(info.GoVersion, "go")),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p := component("library", m.Path, m.Version)
		if m.Sum != "" {
			p.Properties = []property{{"go:sum", m.Sum}} // of the module, as in go.sum
		}
		b.Parts = append(b.Parts, p)
	}
	slices.SortFunc(b.Parts, func(x, y part) int { return cmp.Compare(x.Name, y.Name) })
	needs := depends{Ref: main.Ref}
	for _, p := range b.Parts {
		needs.On = append(needs.On, p.Ref)
	}
	b.Needs = []depends{needs}
	return b
}

// component is a module, named as in https://github.com/package-url/purl-spec.
func component(kind, path, version string) part {
	url := "pkg:golang/" + path + "@" + version
	return part{Type: kind, Ref: url, Name: path, Version: version, URL: url}
}
