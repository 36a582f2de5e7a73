package hclcli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// A block is a resource, a data source or an ephemeral resource of a configuration.
type block struct {
	mode       string // resource, data or ephemeral
	kind, name string
	attributes map[string]hclsyntax.Expression
	// count and forEach are nil if the block does not have them.
	count, forEach hclsyntax.Expression
	dependsOn      []string
	// provider is the alias of its provider, or "".
	provider string
	// ignored are the paths of ignore_changes.
	ignored      []hcl.Traversal
	ignoresAll   bool
	createsFirst bool
}

func (b *block) address() string {
	if b.mode == "resource" {
		return b.kind + "." + b.name
	}
	return b.mode + "." + b.kind + "." + b.name
}

// An importBlock imports an object in the next plan.
type importBlock struct {
	to string
	id hclsyntax.Expression
}

// A config is a parsed configuration.
type config struct {
	blocks          map[string]*block
	variables       map[string]hclsyntax.Expression
	locals, outputs map[string]hclsyntax.Expression
	providers       map[string]map[string]hclsyntax.Expression // by alias
	imports         []importBlock
}

func parse(source string) (*config, error) {
	file, diags := hclsyntax.ParseConfig([]byte(source), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	c := &config{
		blocks: map[string]*block{}, variables: map[string]hclsyntax.Expression{}, locals: map[string]hclsyntax.Expression{},
		outputs: map[string]hclsyntax.Expression{}, providers: map[string]map[string]hclsyntax.Expression{"": {}},
	}
	for _, top := range file.Body.(*hclsyntax.Body).Blocks {
		if err := c.add(top); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *config) add(top *hclsyntax.Block) error {
	all := expressions(top.Body)
	switch top.Type {
	case "terraform":
	case "variable":
		c.variables[top.Labels[0]] = all["default"]
	case "locals":
		for name, e := range all {
			c.locals[name] = e
		}
	case "output":
		c.outputs[top.Labels[0]] = all["value"]
	case "provider":
		alias := ""
		if e := all["alias"]; e != nil {
			alias = word(e)
		}
		delete(all, "alias")
		c.providers[alias] = all
	case "import":
		c.imports = append(c.imports, importBlock{to: addressOf(all["to"].Variables()[0]), id: all["id"]})
	case "resource", "data", "ephemeral":
		b, err := blockOf(top, all)
		if err != nil {
			return err
		}
		c.blocks[b.address()] = b
	default:
		return fmt.Errorf("%s: a block %q is not supported here", top.Range(), top.Type)
	}
	return nil
}

func blockOf(top *hclsyntax.Block, all map[string]hclsyntax.Expression) (*block, error) {
	b := &block{mode: top.Type, kind: top.Labels[0], name: top.Labels[1], attributes: all}
	take := func(name string) hclsyntax.Expression {
		e := all[name]
		delete(all, name)
		return e
	}
	b.count, b.forEach = take("count"), take("for_each")
	if e := take("depends_on"); e != nil {
		for _, traversal := range e.Variables() {
			b.dependsOn = append(b.dependsOn, blockAddress(traversal))
		}
	}
	if e := take("provider"); e != nil {
		if traversal := e.Variables()[0]; len(traversal) > 1 {
			b.provider = traversal[1].(hcl.TraverseAttr).Name
		}
	}
	for _, nested := range top.Body.Blocks {
		inner := expressions(nested.Body)
		if nested.Type != "lifecycle" {
			return nil, fmt.Errorf("%s: a block %q is not supported here", nested.Range(), nested.Type)
		}
		for name, e := range inner {
			switch name {
			case "create_before_destroy":
				b.createsFirst = word(e) == "true"
			case "ignore_changes":
				if b.ignoresAll = hcl.ExprAsKeyword(e) == "all"; b.ignoresAll {
					continue
				}
				elements, diags := hcl.ExprList(e)
				if diags.HasErrors() {
					return nil, diags
				}
				for _, element := range elements {
					path, diags := hcl.RelTraversalForExpr(element)
					if diags.HasErrors() {
						return nil, diags
					}
					b.ignored = append(b.ignored, path)
				}
			default:
				return nil, fmt.Errorf("%s: %s in lifecycle is not supported here", e.Range(), name)
			}
		}
	}
	return b, nil
}

func expressions(body *hclsyntax.Body) map[string]hclsyntax.Expression {
	all := map[string]hclsyntax.Expression{}
	for name, attribute := range body.Attributes {
		all[name] = attribute.Expr
	}
	return all
}

// word returns the text of an expression that is a constant or a keyword.
func word(e hclsyntax.Expression) string {
	if keyword := hcl.ExprAsKeyword(e); keyword != "" {
		return keyword
	}
	v, _ := e.Value(nil) // only a constant can be a word
	switch {
	case v.Type() == cty.String:
		return v.AsString()
	case v.Type() == cty.Bool && v.True():
		return "true"
	}
	return ""
}

// blockAddress returns the address of the block that a reference names, "local.x" for a
// local value, and "" for any other name.
func blockAddress(reference hcl.Traversal) string {
	names := []string{reference.RootName()}
	for _, step := range reference[1:] {
		attr, ok := step.(hcl.TraverseAttr)
		if !ok {
			break
		}
		names = append(names, attr.Name)
	}
	length := 2
	switch names[0] {
	case "var", "each", "count", "self", "path", "terraform":
		return ""
	case "data", "ephemeral":
		length = 3
	}
	if len(names) < length {
		return ""
	}
	return strings.Join(names[:length], ".")
}

// addressOf returns the address of one object, with its key.
func addressOf(reference hcl.Traversal) string {
	address := blockAddress(reference)
	for _, step := range reference {
		if index, ok := step.(hcl.TraverseIndex); ok {
			address += keyOf(index.Key)
		}
	}
	return address
}

// keyOf returns the end of the address of one object of a block with count or for_each.
func keyOf(key cty.Value) string {
	if key.Type() == cty.String {
		return fmt.Sprintf("[%q]", key.AsString())
	}
	return fmt.Sprintf("[%s]", key.AsBigFloat().Text('f', 0))
}

// references returns the addresses of the blocks that expressions use, also by local values.
func (c *config) references(all ...hclsyntax.Expression) []string {
	var found []string
	for _, e := range all {
		if e == nil {
			continue
		}
		for _, reference := range e.Variables() {
			address := blockAddress(reference)
			if local, ok := strings.CutPrefix(address, "local."); ok {
				found = append(found, c.references(c.locals[local])...)
			} else if address != "" && c.blocks[address] != nil {
				found = append(found, address)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// needs returns the addresses of the blocks that a block needs directly.
func (c *config) needs(b *block) []string {
	all := []hclsyntax.Expression{b.count, b.forEach}
	for _, e := range b.attributes {
		all = append(all, e)
	}
	found := append(c.references(all...), b.dependsOn...)
	slices.Sort(found)
	return slices.Compact(found)
}

// needsAtAll returns the addresses of the blocks that a block needs, directly or not.
func (c *config) needsAtAll(b *block) map[string]bool {
	all := map[string]bool{}
	var visit func(*block)
	visit = func(b *block) {
		if b == nil {
			return
		}
		for _, address := range c.needs(b) {
			if !all[address] {
				all[address] = true
				visit(c.blocks[address])
			}
		}
	}
	visit(b)
	return all
}

// waitsFor returns the managed resources whose changes delay the reading of a data source:
// those that it names itself, and those behind the data sources that it names.
func (c *config) waitsFor(b *block) []string {
	var all []string
	for _, address := range c.needs(b) {
		needed := c.blocks[address]
		switch {
		case needed == nil:
		case needed.mode == "resource":
			all = append(all, address)
		case slices.Contains(b.dependsOn, address):
			for behind := range c.needsAtAll(needed) {
				if c.blocks[behind].mode == "resource" {
					all = append(all, behind)
				}
			}
		}
	}
	return all
}
