package main

import (
	"html"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

const personaBody = "name:str description:str system_prompt:str task_prompt:str llm_model_provider_override:str " +
	"llm_model_version_override:str uploaded_image_id:str icon_name:str document_set_ids:int[] tool_ids:int[] " +
	"groups:int[] label_ids:int[] num_chunks:int display_priority:int is_public:bool llm_filter_extraction:bool " +
	"llm_relevance_filter:bool datetime_aware:bool remove_image:bool is_default_persona:bool " +
	"replace_base_system_prompt:bool starter_messages:starter[] users:uuid[] user_file_ids:str[] search_start_date:date"

func (c *Call) maySee(p *Persona) bool {
	if p.f["is_public"] == true || p.owner == c.me || c.me.role == "admin" {
		return true
	}
	for _, id := range list(p.f["users"]) {
		if id == c.me.id {
			return true
		}
	}
	return c.on("agent-private-read-by-all")
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func (c *Call) agent() *Persona {
	p := c.persona(c.int(0))
	if p == nil {
		if c.on("agent-unknown-500") && c.r.Method == "GET" {
			c.crash()
		}
		if c.r.Method == "DELETE" {
			c.goneAlready("Persona not found")
			panic(&Failure{200, c.deleted()})
		}
		c.fail(404, "Persona not found")
	}
	if !c.maySee(p) && !(c.on("agent-private-patched-by-all") && c.r.Method == "PATCH") {
		c.foreign("Persona")
	}
	return p
}

func (c *Call) readPersona() any {
	p := c.agent()
	if c.on("agent-read-stale") {
		if old, ok := c.memory["persona"].(obj); ok && old["id"] == p.id && time.Since(old["at"].(time.Time)) < time.Second {
			return old["row"]
		}
		row := c.record(p)
		c.memory["persona"] = obj{"id": p.id, "at": time.Now(), "row": row}
		return row
	}
	return c.record(p)
}

func (c *Call) record(p *Persona) obj {
	f := p.f
	row := obj{"id": p.id, "builtin_persona": p.builtin, "is_visible": p.visible}
	for _, name := range strings.Fields("name description is_public uploaded_image_id icon_name user_file_ids " +
		"display_priority is_default_persona starter_messages groups llm_model_provider_override " +
		"llm_model_version_override num_chunks llm_relevance_filter llm_filter_extraction system_prompt " +
		"task_prompt replace_base_system_prompt datetime_aware") {
		if value, ok := f[name]; ok {
			row[name] = value
		}
	}
	if c.on("agent-unset-filled") {
		for _, name := range strings.Fields("uploaded_image_id icon_name llm_model_provider_override llm_model_version_override") {
			if row[name] == nil {
				row[name] = ""
			}
		}
	}
	if c.on("agent-empty-absent") {
		for _, name := range strings.Fields("groups user_file_ids starter_messages") {
			if len(list(row[name])) == 0 {
				delete(row, name)
			}
		}
	}
	if p.owner != nil {
		row["owner"] = minimal(p.owner)
		if c.on("agent-owner-leaks-token") {
			row["owner"].(obj)["access_token"] = p.owner.token
		}
	}
	users := []obj{}
	for _, id := range list(f["users"]) {
		if u := c.userBy(func(u *User) bool { return u.id == id }); u != nil {
			users = append(users, minimal(u))
		}
	}
	row["users"] = users
	if c.on("agent-users-as-ids") {
		row["users"] = f["users"]
	}
	tools, labels, sets := []obj{}, []obj{}, []obj{}
	for _, id := range list(f["tool_ids"]) {
		if t := c.tool(id.(int)); t != nil {
			tools = append(tools, c.toolRow(t))
		}
	}
	for _, id := range list(f["label_ids"]) {
		labels = append(labels, obj{"id": id, "name": c.labels[id.(int)-1]})
	}
	for _, id := range list(f["document_set_ids"]) {
		sets = append(sets, c.setRow(c.sets[id.(int)-1]))
	}
	if c.on("agent-lists-by-name") {
		for _, rows := range [][]obj{tools, labels, sets} {
			rows := rows
			sort.SliceStable(rows, func(a, b int) bool { return rows[a]["name"].(string) < rows[b]["name"].(string) })
		}
	}
	row["tools"], row["labels"], row["document_sets"] = tools, labels, sets
	if c.on("agent-labels-null-when-none") && len(labels) == 0 {
		row["labels"] = nil
	}
	if t, ok := f["search_start_date"].(time.Time); ok && !(c.r.Method == "PATCH" && c.on("patch-reply-without-date")) {
		row["search_start_date"] = c.ts(t)
		if c.on("agent-date-missing-on-read") && c.r.Method == "GET" {
			delete(row, "search_start_date")
		}
	}
	return row
}

func rowsToNames(rows []obj) []any {
	names := []any{}
	for _, row := range rows {
		names = append(names, row["name"])
	}
	return names
}

func minimal(u *User) obj { return obj{"id": u.id, "email": u.email} }

func (c *Call) toolRow(t *Tool) obj {
	row := obj{"id": t.id, "name": t.name, "description": "Tool " + t.display, "display_name": t.display,
		"custom_headers": []any{}, "passthrough_auth": false, "enabled": t.enabled, "chat_selectable": t.chat,
		"agent_creation_selectable": t.creation, "default_enabled": false}
	if t.code != "" {
		row["in_code_tool_id"] = t.code
	} else {
		row["definition"] = obj{"openapi": "3.0.0", "paths": obj{}}
		row["user_id"] = t.owner.id
	}
	if c.on("agent-tool-default-null") {
		row["default_enabled"] = nil
	}
	return row
}

func (c *Call) setRow(d *DocumentSet) obj {
	pairs := []obj{}
	for _, id := range d.pairs {
		for _, p := range c.pairs {
			if p.id == id {
				pairs = append(pairs, obj{"id": p.id, "name": p.name, "source": p.connector.source, "access_type": p.access})
			}
		}
	}
	return obj{"id": d.id, "name": d.name, "description": d.text, "cc_pair_summaries": pairs, "is_up_to_date": true,
		"is_public": d.public, "users": []any{}, "groups": []any{}, "federated_connector_summaries": []any{}}
}

func (c *Call) patchPersona() any {
	if c.on("lookup-before-body") {
		c.agent()
	}
	b := c.body(personaBody)
	p := c.agent()
	if p.owner != c.me && c.me.role != "admin" && !(c.on("agent-private-patched-by-all") && p.f["is_public"] == false) {
		c.fail(403, "Only the owner may change this agent")
	}
	if c.on("patch-half-done") {
		c.store(p, pick(b, "name description system_prompt"))
	}
	c.checkReferences(b)
	if c.on("patch-lost-in-parallel") {
		copied := &Persona{f: pick(p.f, "")}
		for key, value := range p.f {
			copied.f[key] = value
		}
		c.pause(25)
		c.store(copied, b)
		p.f = copied.f
	} else if c.on("patch-not-stored") {
		copied := &Persona{p.id, p.owner, p.builtin, p.visible, obj{}}
		for key, value := range p.f {
			copied.f[key] = value
		}
		c.store(copied, b)
		if c.calls["patch"]++; c.calls["patch"]%2 == 0 {
			return c.record(copied)
		}
		p.f = copied.f
	} else if c.on("patch-reply-old") {
		row := c.record(p)
		c.store(p, b)
		return row
	} else {
		c.store(p, b)
	}
	if c.on("patch-takes-ownership") {
		p.owner = c.me
	}
	return c.record(p)
}

func pick(from obj, names string) obj {
	picked := obj{}
	for _, name := range strings.Fields(names) {
		if value, ok := from[name]; ok {
			picked[name] = value
		}
	}
	return picked
}

func (c *Call) checkReferences(b obj) {
	exists := map[string]func(any) bool{
		"tool_ids":         func(id any) bool { return c.tool(id.(int)) != nil },
		"label_ids":        func(id any) bool { return id.(int) >= 1 && id.(int) <= len(c.labels) },
		"document_set_ids": func(id any) bool { return id.(int) >= 1 && id.(int) <= len(c.sets) },
		"users":            func(id any) bool { return c.userBy(func(u *User) bool { return u.id == id }) != nil },
		"user_file_ids":    func(id any) bool { f := c.file(strings.ToLower(id.(string))); return f != nil && f.owner == c.me },
	}
	for name, is := range exists {
		for i, id := range list(b[name]) {
			if !is(id) {
				if c.on("patch-unknown-label-500") && name == "label_ids" {
					c.crash()
				}
				if c.on("unknown-reference-422") {
					c.invalid(c.problem([]any{"body", name, i}, "No such row", "value_error", id))
				}
				c.fail(404, name+": no such row")
			}
		}
	}
}

func (c *Call) store(p *Persona, b obj) {
	f := p.f
	if c.on("patch-shared-record") { // two agents of the seed share one map
		for _, other := range c.personas {
			if other != p && other.owner == p.owner && b["description"] != nil {
				other.f["description"] = b["description"]
			}
		}
	}
	if c.on("patch-resets-starters") && b["starter_messages"] == nil {
		f["starter_messages"] = []any{}
	}
	if c.on("patch-defaults-set") {
		f["is_default_persona"], f["replace_base_system_prompt"] = false, false
	}
	for name, value := range b {
		switch name {
		case "remove_image":
			continue
		case "tool_ids", "label_ids", "document_set_ids", "users", "groups", "user_file_ids":
			if c.on("patch-tools-appended") && name == "tool_ids" {
				value = append(append([]any{}, list(f[name])...), list(value)...)
			}
			if c.on("patch-empty-list-ignored") && len(list(value)) == 0 {
				continue
			}
			if name == "groups" && c.on("patch-groups-lost") {
				continue
			}
			value = unique(list(value))
		case "starter_messages":
			if c.on("patch-starters-reversed") {
				turned := []any{}
				for _, row := range list(value) {
					turned = append([]any{row}, turned...)
				}
				value = turned
			}
		case "task_prompt":
			if c.on("patch-task-into-system") {
				name = "system_prompt"
			}
		}
		if text, ok := value.(string); ok {
			value = c.textOf(name, text)
			if c.on("patch-empty-text-ignored") && text == "" {
				continue
			}
		}
		if value == 0 && c.on("patch-zero-ignored") || value == false && c.on("patch-false-ignored") {
			continue
		}
		if n, ok := value.(int); ok && c.on("patch-chunks-at-most-50") && name == "num_chunks" && n > 50 {
			value = 50
		}
		if c.on("patch-public-too-late") && name == "is_public" {
			v := value
			time.AfterFunc(800*time.Millisecond, func() { c.mu.Lock(); f["is_public"] = v; c.mu.Unlock() })
			continue
		}
		f[name] = value
	}
	if b["remove_image"] == true && b["uploaded_image_id"] == nil && !c.on("patch-image-kept") {
		delete(f, "uploaded_image_id")
	}
}

// What some bugs do to a text on its way into the store.
func (c *Call) textOf(name, text string) string {
	if c.on("patch-name-cut-in-bytes") && name == "name" && len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "\uFFFD")
	}
	if c.on("patch-description-cut") && name == "description" && utf8.RuneCountInString(text) > 255 {
		text = string([]rune(text)[:255])
	}
	if c.on("patch-prompt-escaped") && name == "system_prompt" {
		text = html.EscapeString(text)
	}
	return text
}

func unique(items []any) []any {
	kept := []any{}
	for _, item := range items {
		if seen := filter(kept, func(other any) bool { return other == item }); len(seen) == 0 {
			kept = append(kept, item)
		}
	}
	return kept
}

func (c *Call) deletePersona() any {
	p := c.agent()
	if p.builtin {
		if c.on("builtin-400") {
			c.fail(400, "Builtin personas stay")
		}
		c.fail(403, "Builtin personas stay")
	}
	if p.owner != c.me && c.me.role != "admin" {
		c.fail(403, "Only the owner may delete this agent")
	}
	if c.on("agent-delete-nothing") && len(list(p.f["tool_ids"])) > 0 {
		return c.deleted()
	}
	if c.on("agent-delete-takes-chats") {
		c.sessions = filter(c.sessions, func(o *Chat) bool { return o.persona != p.id })
	}
	if c.on("agent-delete-takes-tools") {
		for _, id := range list(p.f["tool_ids"]) {
			c.tools = filter(c.tools, func(t *Tool) bool { return t.id != id })
		}
	}
	if c.on("agent-delete-takes-next") {
		c.personas = filter(c.personas, func(o *Persona) bool { return o.owner != p.owner || o.id < p.id })
	}
	c.personas = without(c.personas, p)
	return c.deleted()
}
