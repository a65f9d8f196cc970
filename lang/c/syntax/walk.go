package syntax

import (
	"iter"
	"reflect"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

// Walk calls f for every node below n, and goes into those for which f is true.
func Walk(n cc.Node, f func(cc.Node) bool) {
	v := reflect.ValueOf(n)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || !f(n) {
		return
	}
	for m := range Children(n) {
		Walk(m, f)
	}
}

// Children are the nodes right below n, in the order of its fields.
func Children(n cc.Node) iter.Seq[cc.Node] {
	return func(yield func(cc.Node) bool) {
		v := reflect.ValueOf(n).Elem()
		if v.Kind() != reflect.Struct {
			return
		}
		for _, i := range mayBeNodes(v.Type()) {
			if x := v.Field(i); !x.IsNil() {
				if m, ok := x.Interface().(cc.Node); ok && !yield(m) {
					return
				}
			}
		}
	}
}

var nodeFields sync.Map // of reflect.Type, to []int

// mayBeNodes are the fields of a node that may be nodes.
func mayBeNodes(t reflect.Type) []int {
	if known, ok := nodeFields.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		ft := t.Field(i)
		if k := ft.Type.Kind(); ft.IsExported() && !strings.HasPrefix(ft.Name, "Token") && (k == reflect.Pointer || k == reflect.Interface) {
			fields = append(fields, i)
		}
	}
	nodeFields.Store(t, fields)
	return fields
}
