package main

const definition = `{"definition":{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{` +
	`"/Orders/{id}":{"get":{"operationId":"readOrder","summary":"Read one"},"delete":{"operationId":"dropOrder","summary":"Drop one"}},` +
	`"/orders":{"post":{"operationId":"makeOrder"}}}}}`

func (t *T) urls(list string) *Reply { return t.do("ben", openUrls, `{"urls":`+list+`}`) }

func (t *T) methods() *Reply { return t.do("ada", validate, definition) }

func (t *T) dropTool(id string) *Reply { return t.do("ada", "DELETE "+tools+id, "") }

var bugsOfTools = []Flag{
	{"urls-bad-500", "E18", "An address that is none crashes", func(t *T) any { return t.urls(`["not an address"]`).Status }},
	{"urls-unicode-500", "E18", "An address with letters beyond ASCII crashes", func(t *T) any {
		return t.urls(`["https://example.com/süß"]`).Status
	}},
	{"urls-at-most-3", "E18", "Addresses after the third are left out", func(t *T) any {
		return count(t.urls(`["https://example.com/1","https://example.com/2","https://example.com/3","https://example.com/4"]`), "results")
	}},
	{"urls-of-last-call", "E18", "The results of the call before are there as well", func(t *T) any {
		t.urls(`["https://example.com/1"]`)
		return count(t.urls(`["https://example.com/2"]`), "results")
	}},
	{"urls-number-text", "2.13", "document_citation_number is a text", func(t *T) any {
		return t.urls(`["https://example.com/1"]`).at("results.0.document_citation_number")
	}},
	{"urls-content-null", "2.13", "content of a page without TLS is null", func(t *T) any {
		return t.urls(`["http://example.com/1"]`).at("results.0.content") == nil
	}},
	{"urls-provider-other", "E18", "provider_type has another value", func(t *T) any { return t.urls(`["https://example.com/1"]`).at("provider_type") }},
	{"validate-without-paths-500", "E19", "A definition without paths crashes", func(t *T) any {
		return t.do("ada", validate, `{"definition":{}}`).Status
	}},
	{"validate-first-method-only", "E19", "Only the first method of a path is listed", func(t *T) any { return t.methods().at("methods.*.name") }},
	{"validate-without-delete", "E19", "Methods that delete are missing", func(t *T) any { return t.methods().at("methods.*.method") }},
	{"validate-remembers", "E19", "The methods of the definition before are listed as well", func(t *T) any {
		t.methods()
		return t.methods().at("methods.length")
	}},
	{"validate-without-summary-500", "E19", "A method without a summary crashes", func(t *T) any { return t.methods().Status }},
	{"validate-path-lower", "2.14", "Paths are in lower case", func(t *T) any { return t.methods().at("methods.*.path") }},
	{"validate-summary-is-name", "2.14", "summary repeats the name", func(t *T) any { return t.methods().at("methods.*.summary") }},
	{"validate-spec-text", "2.14", "spec is a text", func(t *T) any { return t.methods().at("methods.0.spec") }},
	{"tool-unknown-500", "E20", "An unknown tool crashes", func(t *T) any { return t.dropTool("9999").Status }},
	{"tool-delete-nothing", "E20", "A tool is switched off instead of deleted", func(t *T) any {
		t.dropTool("3")
		return t.get("ada", agents+"3").at("tools.*.id")
	}},
	{"tool-delete-used-500", "E20", "A tool that an agent uses crashes the deletion", func(t *T) any { return t.dropTool("4").Status }},
	{"tool-delete-all-of-author", "E20", "All tools of the author are deleted", func(t *T) any {
		t.dropTool("7")
		return t.get("ada", agents+"3").at("tools.*.id")
	}},
	{"tool-delete-takes-agents", "E20", "Agents with the tool are deleted as well", func(t *T) any {
		t.dropTool("4")
		return t.get("ada", agents+"3").Status
	}},
}
