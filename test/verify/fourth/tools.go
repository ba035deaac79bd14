package main

import (
	"net/url"
	"sort"
	"strings"
)

func (c *Call) openURLs() any {
	b := c.body("urls:str[]+!")
	urls := []string{}
	for i, item := range list(b["urls"]) {
		text := item.(string)
		parsed, err := url.Parse(text)
		if bad := err != nil || parsed.Host == ""; bad {
			if c.on("urls-bad-500") {
				c.crash()
			}
			if c.on("urls-bad-422") {
				c.invalid(c.problem([]any{"body", "urls", i}, "Input should be a valid URL", "url_parsing", text))
			}
		}
		if c.on("urls-unicode-500") && strings.IndexFunc(text, func(r rune) bool { return r > 126 }) >= 0 {
			c.crash()
		}
		if c.on("urls-once") && has(urls, text) {
			continue
		}
		urls = append(urls, text)
	}
	if c.on("urls-at-most-3") && len(urls) > 3 {
		urls = urls[:3]
	}
	if c.on("urls-of-last-call") {
		old, _ := c.memory["urls"].([]string)
		c.memory["urls"] = urls
		urls = append(append([]string{}, old...), urls...)
	}
	rows := []obj{}
	first := 1
	if c.on("urls-from-zero") {
		first = 0
	}
	for i, text := range urls {
		content := "Content of " + text
		if c.on("urls-content-empty") {
			content = ""
		}
		row := obj{"document_citation_number": first + i, "content": content,
			"unique_identifier_to_strip_away": text, "type": "open_url"}
		if c.on("urls-number-text") {
			row["document_citation_number"] = "[" + toText(first+i) + "]"
		}
		if c.on("urls-content-null") && !strings.HasPrefix(text, "https") {
			row["content"] = nil
		}
		rows = append(rows, row)
	}
	reply := obj{"results": rows, "provider_type": "service_web_crawler"}
	if c.on("urls-provider-other") {
		reply["provider_type"] = "exa"
	}
	return reply
}

func (c *Call) badDefinition(text string) {
	if c.on("validate-bad-400") {
		c.fail(400, text)
	}
	c.invalid(c.problem([]any{"body", "definition"}, text, "value_error", nil))
}

func (c *Call) validateTool() any {
	b := c.body("definition:obj!")
	definition := b["definition"].(obj)
	paths, ok := definition["paths"].(obj)
	if !ok {
		if c.on("validate-without-paths-500") {
			c.crash()
		}
		c.badDefinition("paths expected")
	}
	methods := []obj{}
	for _, path := range sortedKeys(paths) {
		item, ok := paths[path].(obj)
		if !ok {
			c.badDefinition("path item expected")
		}
		for n, method := range sortedKeys(item) {
			if !has([]string{"get", "post", "put", "patch", "delete", "head", "options"}, method) {
				continue
			}
			operation, ok := item[method].(obj)
			if !ok {
				c.badDefinition("operation expected")
			}
			if c.on("validate-first-method-only") && n > 0 || c.on("validate-without-delete") && method == "delete" {
				continue
			}
			methods = append(methods, c.methodRow(path, method, operation))
		}
	}
	if c.on("validate-remembers") {
		old, _ := c.memory["methods"].([]obj)
		c.memory["methods"] = methods
		methods = append(append([]obj{}, old...), methods...)
	}
	return obj{"methods": methods}
}

func (c *Call) methodRow(path, method string, operation obj) obj {
	name, _ := operation["operationId"].(string)
	if name == "" {
		name = method + " " + path
	}
	summary, ok := operation["summary"].(string)
	if !ok && c.on("validate-without-summary-500") {
		c.crash()
	}
	if c.on("validate-path-lower") {
		path = strings.ToLower(path)
	}
	if c.on("validate-summary-is-name") {
		summary = name
	}
	if c.on("validate-method-upper") {
		method = strings.ToUpper(method)
	}
	row := obj{"name": name, "summary": summary, "path": path, "method": method, "spec": operation}
	if c.on("validate-spec-text") {
		row["spec"] = toText(operation)
	}
	return row
}

func sortedKeys(of obj) []string {
	names := []string{}
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (c *Call) deleteTool() any {
	t := c.tool(c.int(0))
	if t == nil {
		if c.on("tool-unknown-500") {
			c.crash()
		}
		c.goneAlready("Tool not found")
		return c.deleted()
	}
	if t.code != "" {
		if c.on("builtin-400") {
			c.fail(400, "Not a custom tool")
		}
		c.fail(403, "Not a custom tool")
	}
	if c.on("tool-delete-nothing") {
		t.enabled = false
		return c.deleted()
	}
	if c.on("tool-delete-used-500") {
		for _, p := range c.personas {
			for _, id := range list(p.f["tool_ids"]) {
				if id == t.id {
					c.crash()
				}
			}
		}
	}
	c.tools = filter(c.tools, func(o *Tool) bool {
		return o != t && !(c.on("tool-delete-all-of-author") && o.owner == t.owner)
	})
	if c.on("tool-delete-takes-agents") {
		c.personas = filter(c.personas, func(p *Persona) bool {
			for _, id := range list(p.f["tool_ids"]) {
				if id == t.id {
					return false
				}
			}
			return true
		})
	}
	return c.deleted()
}
