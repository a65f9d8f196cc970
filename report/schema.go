package report

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// SchemaVersion is that of the objects in JSON. It is another one when a reader of the
// objects would have to change: when a field goes, or means something else. New fields do not
// count.
const SchemaVersion = 1

// An object is what one kind of answer is in JSON. Every one begins with the version of the
// schema and the kind, as its type.
type object struct {
	kind     string
	of       reflect.Type
	verdicts []string // what "verdict" may be; nil: there is none
}

func objectOf[T any](kind string, verdicts ...string) object {
	return object{kind, reflect.TypeFor[T](), verdicts}
}

var checkWords = []string{"SAFE", "UNSAFE", "UNKNOWN"}

// objects are all of them, in the order of the schema.
var objects = []object{
	objectOf[jsonResult]("check", checkWords...),
	objectOf[jsonError]("error", errorVerdict, unknownVerdict),
	objectOf[jsonExploration]("explore", checkWords...),
	objectOf[jsonStates]("states"),
	objectOf[jsonRobust]("robust", "ROBUST", "NOT ROBUST", "TRIANGULAR-RACE FREE", "NOT TRIANGULAR-RACE FREE", "UNKNOWN"),
	objectOf[jsonFences]("fences", "FENCES", "EXCHANGES", "CHANGES", "NO FENCE NEEDED", "REDUNDANT", "NO FENCE REDUNDANT",
		"NO FENCES HELP", "NOT ENOUGH FENCES", "UNKNOWN"),
	objectOf[jsonExplanation]("explain"),
	objectOf[jsonLitmus]("litmus", "Ok", "No", "Unknown"),
	objectOf[jsonRow]("litmus-models"),
	objectOf[jsonComparison]("compare"),
	objectOf[jsonSelfTest]("selftest"),
	objectOf[Estimate]("estimate"),
	objectOf[jsonHardware]("hw"),
	objectOf[jsonApart]("models-compare"),
	objectOf[jsonJob]("batch-job", batchWords...),
	objectOf[jsonBatch]("batch"),
}

// kindOf is the kind of an object.
func kindOf(v any) (string, error) {
	t := reflect.TypeOf(v)
	for _, o := range objects {
		if o.of == t {
			return o.kind, nil
		}
	}
	return "", fmt.Errorf("report: objects of type %v have no kind", t)
}

// Schema writes the schema of all objects, in the language of json-schema.org, 2020-12.
func Schema(w io.Writer) error {
	all := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		ID:          fmt.Sprintf("https://github.com/fencepost-verifier/fencepost/schema/v%d.json", SchemaVersion),
		Title:       "The output of fencepost",
		Description: "Every line that a command of fencepost prints with --output json is one of these objects; \"type\" says which.",
		Defs:        map[string]*jsonschema.Schema{},
	}
	for _, o := range objects {
		s, err := jsonschema.ForType(o.of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[*verdict.Finding](): {Type: "object"},
			reflect.TypeFor[*verdict.Tally]():   {Type: "object"},
			reflect.TypeFor[json.RawMessage]():  {Type: "object"},
		}})
		if err != nil {
			return fmt.Errorf("report: the schema of %s: %w", o.kind, err)
		}
		s.AdditionalProperties = nil // which new ones will be
		one, kind := any(SchemaVersion), any(o.kind)
		s.Properties["schema"] = &jsonschema.Schema{Type: "integer", Const: &one}
		s.Properties["type"] = &jsonschema.Schema{Type: "string", Const: &kind}
		s.PropertyOrder = append([]string{"schema", "type"}, s.PropertyOrder...)
		s.Required = append([]string{"schema", "type"}, s.Required...)
		if o.verdicts != nil {
			v := s.Properties["verdict"]
			for _, word := range o.verdicts {
				v.Enum = append(v.Enum, word)
			}
		}
		all.Defs[o.kind] = s
		all.OneOf = append(all.OneOf, &jsonschema.Schema{Ref: "#/$defs/" + o.kind})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(all)
}
