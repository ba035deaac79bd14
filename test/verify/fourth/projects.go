package main

import (
	"strings"
	"time"
)

func (s *Service) statusOf(f *File) string {
	if f.status == "PROCESSING" {
		wait := 300 * time.Millisecond
		if s.on("files-slowly-ready") {
			wait = 1500 * time.Millisecond
		}
		if time.Since(s.started) > wait {
			if s.on("files-fail") {
				return "FAILED"
			}
			return "COMPLETED"
		}
	}
	return f.status
}

func (c *Call) fileRow(f *File) obj {
	row := obj{"id": f.id, "name": f.name, "user_id": f.owner.id, "file_id": f.blob, "created_at": c.ts(f.created),
		"status": c.statusOf(f), "last_accessed_at": c.ts(f.accessed), "file_type": f.kind, "chat_file_type": f.chat,
		"token_count": f.tokens, "chunk_count": f.chunks}
	for _, p := range c.projects {
		if has(p.files, f.id) && !c.on("file-project-absent") {
			row["project_id"] = p.id
			break
		}
	}
	switch {
	case c.on("file-status-ready"):
		if row["status"] == "COMPLETED" {
			row["status"] = "READY"
		}
	case c.on("file-kind-pdf"):
		if f.kind == "application/pdf" {
			row["chat_file_type"] = "pdf"
		}
	case c.on("file-id-is-blob"):
		row["id"] = f.blob
	}
	return row
}

func (c *Call) projectRow(p *Project) obj {
	chats := filter(c.sessions, func(o *Chat) bool { return o.project == p.id && (!o.incognito || c.on("incognito-listed")) })
	row := obj{"id": p.id, "name": p.name, "description": p.text, "created_at": c.ts(p.created), "user_id": p.owner.id,
		"chat_sessions": rowsOf(chats, c.summary), "instructions": p.instructions}
	if c.on("instructions-absent") && p.instructions == "" {
		delete(row, "instructions")
	}
	switch {
	case c.on("project-chats-null") && len(chats) == 0:
		row["chat_sessions"] = nil
	case c.on("project-chats-of-first-project"):
		row["chat_sessions"] = rowsOf(filter(c.sessions, func(o *Chat) bool { return o.project == c.projects[0].id }), c.summary)
	case c.on("project-created-now"):
		row["created_at"] = c.ts(time.Now())
	}
	return row
}

func (c *Call) listProjects() any {
	rows := filter(c.projects, func(p *Project) bool {
		return p.owner == c.me || c.on("projects-of-all-for-admin") && c.me.role == "admin"
	})
	if c.on("projects-newest-first") {
		turned := []*Project{}
		for _, p := range rows {
			turned = append([]*Project{p}, turned...)
		}
		rows = turned
	}
	if c.on("projects-without-empty") {
		rows = filter(rows, func(p *Project) bool { return len(p.files) > 0 })
	}
	if c.on("projects-null-when-none") && len(rows) == 0 {
		return nil
	}
	if c.on("projects-one-per-file") {
		for _, p := range append([]*Project{}, rows...) {
			if len(p.files) > 1 {
				rows = append(rows, p)
			}
		}
	}
	return rowsOf(rows, c.projectRow)
}

func (c *Call) own(what string, foreignIsOpen bool) *Project {
	p := c.project(c.int(0))
	if p == nil {
		if c.on("project-unknown-500") && what == "details" {
			c.crash()
		}
		c.fail(404, "Project not found")
	}
	if p.owner != c.me && !foreignIsOpen {
		c.foreign("Project")
	}
	return p
}

func (c *Call) projectDetails() any {
	p := c.own("details", c.on("details-foreign"))
	files := filter(c.files, func(f *File) bool {
		if c.on("details-files-of-user") && f.owner == p.owner {
			return true
		}
		if c.on("details-completed-only") && c.statusOf(f) != "COMPLETED" {
			return false
		}
		return has(p.files, f.id)
	})
	defaults := obj{}
	for _, chat := range c.sessions {
		if persona := c.persona(chat.persona); chat.project == p.id && persona != nil {
			defaults[toText(chat.persona)] = persona.f["is_default_persona"]
		}
	}
	if c.on("details-all-agents") {
		for _, persona := range c.personas {
			if c.maySee(persona) {
				defaults[toText(persona.id)] = persona.f["is_default_persona"]
			}
		}
	}
	reply := obj{"project": c.projectRow(p), "files": rowsOf(files, c.fileRow), "persona_id_to_is_default": defaults}
	if c.on("details-files-null") && len(files) == 0 {
		reply["files"] = nil
	}
	return reply
}

func (c *Call) putInstructions() any {
	if c.on("lookup-before-body") {
		c.own("instructions", false)
	}
	b := c.body("instructions:str!")
	p := c.own("instructions", c.on("instructions-foreign"))
	text := b["instructions"].(string)
	stored := text
	switch {
	case c.on("instructions-appended") && p.instructions != "":
		stored = p.instructions + "\n" + text
	case c.on("instructions-cut") && len([]rune(text)) > 1000:
		stored = string([]rune(text)[:1000])
	case c.on("instructions-empty-ignored") && text == "":
		stored = p.instructions
	case c.on("instructions-latin"):
		stored = strings.Map(func(r rune) rune {
			if r > 255 {
				return '?'
			}
			return r
		}, text)
	case c.on("instructions-markup"):
		for strings.Contains(stored, "<") && strings.Contains(stored, ">") && strings.Index(stored, "<") < strings.LastIndex(stored, ">") {
			from := strings.Index(stored, "<")
			stored = stored[:from] + stored[strings.LastIndex(stored, ">")+1:]
		}
	case c.on("instructions-line-ends"):
		stored = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if c.on("instructions-late") {
		time.AfterFunc(800*time.Millisecond, func() { c.mu.Lock(); p.instructions = stored; c.mu.Unlock() })
		return obj{"instructions": text}
	}
	if c.on("instructions-on-all-projects") {
		for _, other := range c.projects {
			if other.owner == p.owner {
				other.instructions = stored
			}
		}
	}
	if c.on("instructions-not-stored") && c.calls["instructions"]%2 == 1 {
		stored = p.instructions
	}
	c.calls["instructions"]++
	p.instructions = stored
	return obj{"instructions": stored}
}

func (c *Call) ownFile(foreignIsOpen bool) *File {
	f := c.file(c.args[len(c.args)-1])
	if f == nil || !f.gone.IsZero() && time.Since(f.gone) > 300*time.Millisecond {
		if c.on("file-unknown-500") && c.r.Method == "GET" {
			c.crash()
		}
		if c.r.Method == "DELETE" && c.on("file-delete-again-500") {
			c.crash()
		}
		c.fail(404, "File not found")
	}
	if f.owner != c.me && !foreignIsOpen {
		c.foreign("File")
	}
	return f
}

func (c *Call) linkFile() any {
	p := c.own("link", c.on("link-foreign-project"))
	if c.on("link-unknown-file") && c.file(c.args[1]) == nil {
		p.files = append(p.files, c.args[1])
		return obj{"id": c.args[1]}
	}
	f := c.ownFile(c.on("link-foreign-file"))
	if has(p.files, f.id) {
		if c.on("link-again-409") {
			c.fail(409, "Already linked")
		}
		if c.on("link-again-unlinks") {
			p.files = without(p.files, f.id)
			return c.fileRow(f)
		}
		if !c.on("link-again-copies") {
			return c.fileRow(f)
		}
		copied := *f
		copied.id = c.Service.uuid()
		c.files = append(c.files, &copied)
		f = &copied
	}
	if c.on("link-moves") {
		for _, other := range c.projects {
			other.files = without(other.files, f.id)
		}
	}
	if c.on("link-replaces-others") {
		p.files = []string{}
	}
	if c.on("link-lost-in-parallel") {
		before := append([]string{}, p.files...)
		c.pause(20)
		p.files = before
	}
	if !c.on("link-nothing") {
		p.files = append(p.files, f.id)
	}
	if c.on("link-touches") {
		f.accessed = time.Now()
	}
	if c.on("link-reply-other-file") {
		return c.fileRow(c.file(p.files[0]))
	}
	return c.fileRow(f)
}

func (c *Call) readFile() any {
	f := c.ownFile(c.on("file-foreign-read"))
	status := c.statusOf(f)
	switch {
	case c.on("file-failed-404") && status == "FAILED":
		c.fail(404, "File not found")
	case c.on("file-deleting-404") && status == "DELETING":
		c.fail(404, "File not found")
	}
	return c.fileRow(f)
}

func (c *Call) dropFile(id string) {
	c.files = filter(c.files, func(f *File) bool { return f.id != id })
	for _, p := range c.projects {
		p.files = without(p.files, id)
	}
	for _, p := range c.personas {
		kept := []any{}
		for _, other := range list(p.f["user_file_ids"]) {
			if other != id {
				kept = append(kept, other)
			}
		}
		p.f["user_file_ids"] = kept
	}
}

func (c *Call) deleteFile() any {
	f := c.ownFile(c.on("file-delete-foreign"))
	projects, assistants := []string{}, []string{}
	for _, p := range c.projects {
		if has(p.files, f.id) {
			projects = append(projects, p.name)
		}
	}
	for _, p := range c.personas {
		for _, id := range list(p.f["user_file_ids"]) {
			if id == f.id {
				assistants = append(assistants, p.f["name"].(string))
			}
		}
	}
	reply := obj{"has_associations": len(projects)+len(assistants) > 0, "project_names": projects, "assistant_names": assistants}
	switch {
	case c.on("file-delete-reports-after"):
		reply = obj{"has_associations": false, "project_names": []string{}, "assistant_names": []string{}}
	case c.on("file-delete-names-null") && len(assistants) == 0:
		reply["assistant_names"] = nil
	}
	switch {
	case c.on("file-delete-refused-when-linked") && len(projects) > 0:
		return reply
	case c.on("file-delete-keeps-links"):
		f.status = "DELETING"
		return reply
	case c.on("file-delete-first-link-only") && len(projects) > 1:
		for _, p := range c.projects {
			if has(p.files, f.id) {
				p.files = without(p.files, f.id)
				return reply
			}
		}
	case c.on("file-delete-takes-projects"):
		c.projects = filter(c.projects, func(p *Project) bool { return !has(p.files, f.id) })
	case c.on("file-delete-same-name"):
		for _, other := range append([]*File{}, c.files...) {
			if other.name == f.name && other != f {
				c.dropFile(other.id)
			}
		}
	}
	if c.on("file-delete-pending") && f.gone.IsZero() {
		c.dropFile(f.id)
		f.status, f.gone = "DELETING", time.Now()
		c.files = append(c.files, f)
		return reply
	}
	c.dropFile(f.id)
	return reply
}
