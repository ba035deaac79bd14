package main

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

func (c *Call) createChat() any {
	b := c.body("persona_id:int description:str project_id:int incognito:bool incognito_session_id:uuid")
	now := time.Now()
	chat := &Chat{id: c.Service.uuid(), owner: c.me, shared: "private", persona: 1, created: now, updated: now}
	if name, ok := b["description"].(string); ok && !c.on("session-name-empty") {
		chat.name = name
	}
	if chat.name == "" && c.on("session-name-generic") {
		chat.name = "New chat"
	}
	if id, ok := b["persona_id"].(int); ok {
		p := c.persona(id)
		if p == nil || !c.maySee(p) {
			if c.on("unknown-reference-422") {
				c.invalid(c.problem([]any{"body", "persona_id"}, "No such persona", "value_error", id))
			}
			c.fail(404, "Persona not found")
		}
		chat.persona = id
	}
	if c.on("chat-agent-lost") {
		chat.persona = 1
	}
	if id, ok := b["project_id"].(int); ok {
		p := c.project(id)
		if p == nil || p.owner != c.me && !c.on("chat-in-foreign-project") {
			if c.on("unknown-reference-422") {
				c.invalid(c.problem([]any{"body", "project_id"}, "No such project", "value_error", id))
			}
			c.fail(404, "Project not found")
		}
		chat.project = id
		if c.on("chat-project-lost") {
			chat.project = 0
		}
	}
	chat.incognito, _ = b["incognito"].(bool)
	if c.on("chat-id-repeated") {
		if old, ok := c.memory["chat"].(string); ok && c.calls["chat"]%3 == 2 {
			chat.id = old
		}
		c.memory["chat"] = chat.id
		c.calls["chat"]++
	}
	if c.on("chat-one-per-agent") && chat.project == 0 {
		c.sessions = filter(c.sessions, func(o *Chat) bool {
			return o.owner != c.me || o.persona != chat.persona || now.Sub(o.created) > time.Minute
		})
	}
	if c.on("chat-create-lost-in-parallel") {
		before := append([]*Chat{}, c.sessions...)
		c.pause(25)
		c.sessions = append(before, chat)
	} else {
		c.sessions = append(c.sessions, chat)
	}
	id := chat.id
	if c.on("uuid-in-capitals") {
		id = strings.ToUpper(id)
	}
	return obj{"chat_session_id": id}
}

func (c *Call) summary(chat *Chat) obj {
	row := obj{"id": chat.id, "name": chat.name, "time_created": c.ts(chat.created),
		"time_updated": c.ts(chat.updated), "shared_status": chat.shared, "persona_id": chat.persona}
	if c.on("uuid-in-capitals") {
		row["id"] = strings.ToUpper(chat.id)
	}
	if chat.model != "" || c.on("session-unset-filled") {
		row["current_alternate_model"] = chat.model
	}
	if c.on("session-unset-filled") {
		row["current_temperature_override"] = 0.5
	}
	if c.on("chat-name-null") && chat.name == "" {
		row["name"] = nil
	}
	if c.on("chat-created-moves") {
		row["time_created"] = c.ts(time.Now())
	}
	return row
}

func (c *Call) visibleChats() []*Chat {
	list := filter(c.sessions, func(chat *Chat) bool {
		return chat.owner == c.me && (!chat.incognito || c.on("incognito-listed"))
	})
	sort.SliceStable(list, func(a, b int) bool { return list[a].updated.After(list[b].updated) })
	return list
}

func (c *Call) listChats() any {
	list := c.visibleChats()
	if c.on("sessions-oldest-first") {
		sort.SliceStable(list, func(a, b int) bool { return list[a].updated.Before(list[b].updated) })
	}
	if c.on("sessions-by-name") {
		sort.SliceStable(list, func(a, b int) bool { return list[a].name < list[b].name })
	}
	if c.on("chats-shared-of-others") {
		list = append(list, filter(c.sessions, func(o *Chat) bool { return o.owner != c.me && o.shared == "public" })...)
	}
	if c.on("chats-cached-across-users") {
		if old, ok := c.memory["chats"].([]*Chat); ok && c.calls["chats"]%4 == 3 {
			list = old
		}
		c.calls["chats"]++
		c.memory["chats"] = list
	}
	if c.on("chats-stale-after-create") {
		list = filter(list, func(o *Chat) bool { return time.Since(o.created) > 700*time.Millisecond })
	}
	if c.on("chats-same-name-once") {
		seen := map[string]bool{}
		list = filter(list, func(o *Chat) bool { was := seen[o.name]; seen[o.name] = true; return !was })
	}
	rows := rowsOf(list, c.summary)
	if c.on("chats-null-when-none") && len(rows) == 0 {
		return obj{"sessions": nil}
	}
	return obj{"sessions": rows}
}

func (c *Call) searchChats() any {
	q := c.r.URL.Query()
	query, page, size := q.Get("query"), 1, 10
	if c.on("search-page-of-3") {
		size = 3
	}
	for name, target := range map[string]*int{"page": &page, "page_size": &size} {
		if text := q.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 200 {
				c.invalid(c.problem([]any{"query", name}, "Input should be an integer from 1", "int_parsing", text))
			}
			*target = n
		}
	}
	list := filter(c.visibleChats(), func(o *Chat) bool {
		if c.on("search-query-ignored") {
			return true
		}
		return strings.Contains(strings.ToLower(o.name), strings.ToLower(query))
	})
	if c.on("search-of-all-users") && query != "" {
		list = filter(c.sessions, func(o *Chat) bool { return strings.Contains(strings.ToLower(o.name), strings.ToLower(query)) })
	}
	if c.on("search-nothing-without-query") && query == "" {
		list = nil
	}
	from := (page - 1) * size
	if c.on("search-pages-overlap") && page > 1 {
		from--
	}
	if from > len(list) {
		from = len(list)
	}
	to := from + size
	if to > len(list) {
		to = len(list)
	}
	more := to < len(list)
	if c.on("search-more-at-end") && to-from == size {
		more = true
	}
	reply := obj{"groups": c.groups(list[from:to]), "has_more": more}
	if more || c.on("search-next-always") {
		reply["next_page"] = page + 1
	} else if c.on("search-next-zero") {
		reply["next_page"] = 0
	}
	return reply
}

func (c *Call) groups(list []*Chat) []obj {
	titles, chats := []string{}, map[string][]obj{}
	if c.on("search-empty-groups") {
		titles = []string{"Today", "Yesterday"}
		chats["Today"], chats["Yesterday"] = []obj{}, []obj{}
	}
	for _, chat := range list {
		title := "Older"
		age := time.Since(chat.updated)
		switch {
		case c.on("search-one-group"):
			title = "Chats"
		case c.on("search-by-month"):
			title = chat.updated.Format("January 2006")
		case age < 24*time.Hour:
			title = "Today"
		case age < 7*24*time.Hour:
			title = "This Week"
		}
		if !has(titles, title) {
			titles = append(titles, title)
		}
		row := c.summary(chat)
		if !c.on("search-item-updated") {
			delete(row, "time_updated")
		}
		chats[title] = append(chats[title], row)
		if c.on("search-in-two-groups") && title == "Today" {
			chats["This Week"] = append(chats["This Week"], row)
			if !has(titles, "This Week") {
				titles = append(titles, "This Week")
			}
		}
	}
	return rowsOf(titles, func(title string) obj { return obj{"title": title, "chats": chats[title]} })
}

func (c *Call) deleteChat() any {
	id := c.args[0]
	var chat *Chat
	for _, o := range c.sessions {
		if o.id == id {
			chat = o
		}
	}
	if chat == nil {
		if c.on("chat-delete-twice-500") {
			c.crash()
		}
		c.goneAlready("Chat session not found")
		return c.deleted()
	}
	if chat.owner != c.me && !c.on("chat-delete-foreign") {
		c.foreign("Chat session")
	}
	if c.on("chat-delete-nothing-in-project") && chat.project != 0 {
		return c.deleted()
	}
	if c.on("chat-delete-hides-for-a-second") {
		at := chat.owner
		chat.owner = nil
		time.AfterFunc(900*time.Millisecond, func() { c.mu.Lock(); chat.owner = at; c.mu.Unlock() })
		return c.deleted()
	}
	c.sessions = filter(c.sessions, func(o *Chat) bool {
		if c.on("chat-delete-same-name") && o.owner == c.me && o.name == chat.name {
			return false
		}
		return o != chat
	})
	return c.deleted()
}

// The reply to a deletion: its body is open.
func (c *Call) deleted() any {
	switch {
	case c.on("delete-204"):
		panic(&Failure{204, raw("")})
	case c.on("delete-empty"):
		return raw("")
	case c.on("delete-null"):
		return nil
	case c.on("delete-message"):
		return obj{"success": true, "message": "Deleted"}
	}
	return obj{}
}

// A row that does not exist: open for deletions.
func (c *Call) goneAlready(text string) {
	if c.on("second-delete-200") {
		return
	}
	if c.on("second-delete-410") {
		c.fail(410, text)
	}
	c.fail(404, text)
}
