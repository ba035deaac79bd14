package main

import (
	"fmt"
	"time"
)

func newService(flags map[string]bool) *Service {
	s := &Service{flags: flags, started: time.Now(), next: map[string]int{},
		memory: obj{}, calls: map[string]int{}, invited: map[string]bool{},
		limits: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 300: true}}
	s.seedUsers()
	s.seedTools()
	s.seedConnectors()
	s.seedPersonas()
	s.seedProjects()
	s.seedChats()
	return s
}

func day(before int) time.Time {
	return time.Now().UTC().Truncate(time.Second).Add(-time.Duration(before)*24*time.Hour - 90*time.Second)
}

func (s *Service) seedUsers() {
	for _, row := range []struct {
		name, role string
		active     bool
	}{
		{"ada@example.com", "admin", true}, {"abe@example.com", "admin", true},
		{"cora@example.com", "curator", true}, {"ben@example.com", "basic", true},
		{"bea@example.com", "basic", true}, {"ina@example.com", "basic", false},
		{"dan@example.com", "basic", true}, {"dan@example.org", "basic", true},
		{"dora@example.com", "basic", true}, {"dirk@example.com", "basic", true},
	} {
		id := seedUUID(row.name)
		token := "kc_" + seedUUID("token of " + row.name)[:23]
		s.users = append(s.users, &User{id, row.name, row.role, token, row.active})
	}
}

func (s *Service) seedTools() {
	ada, abe := s.users[0], s.users[1]
	s.labels = []string{"Writing", "Support", "Research", "Sales"}
	s.tools = []*Tool{
		{1, "internal_search", "Internal search", "SearchTool", nil, true, true, true},
		{2, "web_search", "Web search", "WebSearchTool", nil, true, true, true},
		{3, "ticket_lookup", "Ticket lookup", "", ada, true, true, true},
		{4, "weather", "Weather", "", ada, true, true, false},
		{5, "invoices", "Invoices", "", abe, true, false, true},
		{6, "exchange_rates", "Exchange rates", "", abe, true, true, true},
		{7, "room_booking", "Room booking", "", ada, false, true, true},
		{8, "travel_times", "Travel times", "", abe, true, true, true},
	}
}

func (s *Service) seedConnectors() {
	ada, abe, cora, ben, bea := s.users[0], s.users[1], s.users[2], s.users[3], s.users[4]
	name := func(text string) *string { return &text }
	s.credentials = []*Credential{
		{1, name("Crawler"), obj{"agent": "kc-bot", "key": "c7"}, "web", true, false, []any{}, ada, day(90), day(80)},
		{2, name("Crawler of the intranet"), obj{"user": "crawl", "password": "pw-intranet"}, "web", true, true, []any{1, 2}, abe, day(85), day(70)},
		{3, name("Mailbox of support"), obj{"host": "imap.example.com", "password": "pw-imap"}, "imap", true, false, []any{}, nil, day(60), day(60)},
		{4, name("Mailbox of Ben"), obj{"host": "imap.example.com", "password": "pw-ben"}, "imap", false, false, []any{}, ben, day(50), day(45)},
		{5, nil, obj{}, "file", true, false, []any{}, ada, day(44), day(44)},
		{6, name("Mailbox of Bea"), obj{"host": "imap.example.org", "password": "pw-bea"}, "imap", false, false, []any{}, bea, day(40), day(39)},
		{7, name("Push"), obj{"token": "push-1"}, "ingestion_api", true, false, []any{3}, abe, day(30), day(30)},
		{8, name("Crawler of the wiki"), obj{"user": "wiki"}, "web", false, true, []any{1}, cora, day(20), day(18)},
		{9, name("Private crawler of Abe"), obj{"key": "abe-only"}, "web", false, false, []any{}, abe, day(15), day(15)},
		{10, name("Mock"), obj{"mode": "test"}, "mock_connector", true, false, []any{}, ada, day(10), day(9)},
	}
	access := []string{"public", "private", "sync"}
	status := []string{"success", "failed", "in_progress", "completed_with_errors", "canceled", "not_started"}
	add := func(n int, name, source, kind string, credentials ...int) {
		c := &Connector{id: n, name: name, source: source, kind: kind, refresh: 1800 + n, prune: 86400, credentials: []int{},
			config:  obj{"base": fmt.Sprintf("https://site%d.example.com/a?b=1&c=2", n), "depth": n},
			created: day(100 - n), updated: day(50 - n)}
		s.connectors = append(s.connectors, c)
		for _, credential := range credentials {
			pair := s.pairOf(c, credential, fmt.Sprintf("%s by %d", name, credential))
			pair.id = len(s.pairs)
			pair.access = access[n%3]
			pair.last = status[n%6]
			pair.finished = status[(n*5+1)%2]
			pair.docs, pair.latest = n*7, n%4
			pair.repeated, pair.editable = n%5 == 0, true
			pair.success = day(n)
		}
	}
	for n := 1; n <= 13; n++ {
		if n == 2 {
			add(n, "Intranet", "web", "load_state", 1, 2)
		} else {
			add(n, fmt.Sprintf("Site %d", n), "web", "load_state", 1)
		}
	}
	add(14, "Handbook", "file", "load_state", 5)
	add(15, "Price lists", "file", "load_state", 5)
	add(16, "Support mail", "imap", "poll", 3)
	add(17, "Sales mail", "imap", "poll")
	add(18, "Test source", "mock_connector", "event", 10)
	add(19, "Pushed documents", "ingestion_api", "load_state", 7)
	s.sets = []*DocumentSet{
		{1, "Handbook", "How we work", []int{15}, true},
		{2, "Public sites", "All sites of the company", []int{1, 2, 4}, true},
		{3, "Mail", "Mail of support", []int{17}, false},
	}
}

func (s *Service) pairOf(c *Connector, credential int, name string) *Pair {
	c.credentials = append(c.credentials, credential)
	pair := &Pair{id: s.id("pair"), credential: credential, connector: c, name: name,
		access: "public", last: "not_started", finished: "not_started", editable: true, active: true}
	s.pairs = append(s.pairs, pair)
	return pair
}

func (s *Service) seedPersonas() {
	ada, ben, bea := s.users[0], s.users[3], s.users[4]
	add := func(id int, owner *User, fields obj) {
		f := obj{"description": "", "is_public": true, "display_priority": id, "is_default_persona": false,
			"starter_messages": []any{}, "tool_ids": []any{}, "label_ids": []any{}, "users": []any{},
			"groups": []any{}, "document_set_ids": []any{}, "user_file_ids": []any{}, "num_chunks": 10,
			"llm_relevance_filter": false, "llm_filter_extraction": false, "system_prompt": "You answer in short.",
			"task_prompt": "", "replace_base_system_prompt": false, "datetime_aware": true}
		for key, value := range fields {
			f[key] = value
		}
		s.personas = append(s.personas, &Persona{id, owner, owner == nil, true, f})
	}
	starters := []any{}
	for i := 1; i <= 5; i++ {
		starters = append(starters, obj{"name": fmt.Sprintf("Question %d", i), "message": fmt.Sprintf("What is new in part %d?", i)})
	}
	add(1, nil, obj{"name": "Assistant", "description": "The default agent", "is_default_persona": true, "tool_ids": []any{1, 2}})
	add(2, ben, obj{"name": "Release notes", "description": "Writes release notes", "is_public": false,
		"users": []any{bea.id}, "tool_ids": []any{1, 3}, "label_ids": []any{1}})
	add(3, ada, obj{"name": "Support guide", "description": "Answers & guides", "tool_ids": []any{1, 3, 4},
		"label_ids": []any{1, 2}, "document_set_ids": []any{1, 2}, "starter_messages": starters, "groups": []any{1, 2},
		"uploaded_image_id": "img-31", "icon_name": "book", "llm_model_provider_override": "local",
		"llm_model_version_override": "small-2", "search_start_date": day(365), "replace_base_system_prompt": true})
	add(4, bea, obj{"name": "Thesis reader", "is_public": false, "description": "Reads long texts", "tool_ids": []any{1}})
	add(5, ada, obj{"name": "Sales helper", "description": "Knows the prices", "tool_ids": []any{5, 6}, "document_set_ids": []any{3}})
	add(6, ben, obj{"name": "Data explorer", "description": "Explores tables", "tool_ids": []any{1, 2, 6}, "label_ids": []any{3},
		"uploaded_image_id": "img-60", "starter_messages": starters[:2], "task_prompt": "Cite.", "user_file_ids": []any{seedUUID("file 1")}})
	add(7, ben, obj{"name": "Scratch", "is_public": false, "description": "For tests", "tool_ids": []any{7, 8}})
	add(9, ada, obj{"name": "Travel guide", "is_public": false, "description": "Trains & rooms", "tool_ids": []any{4, 8},
		"label_ids": []any{4}, "starter_messages": starters[:1], "task_prompt": "Be brief."})
	add(10, ada, obj{"name": "Draft", "is_public": false, "description": "Not ready"})
	add(11, ada, obj{"name": "Onboarding", "description": "First week", "tool_ids": []any{1}, "document_set_ids": []any{1}})
	add(12, ada, obj{"name": "Room finder", "is_public": false, "tool_ids": []any{7}, "uploaded_image_id": "img-12"})
	add(8, ben, obj{"name": "Old notes", "is_public": false, "description": "No longer used", "tool_ids": []any{3}})
}

func (s *Service) seedProjects() {
	ada, ben, bea := s.users[0], s.users[3], s.users[4]
	file := func(n int, owner *User, name, status, kind, chat string) {
		s.files = append(s.files, &File{id: seedUUID(fmt.Sprint("file ", n)), name: name,
			blob: seedUUID(fmt.Sprint("blob ", n)), status: status, kind: kind, chat: chat, owner: owner,
			created: day(30 - n), accessed: day(9), tokens: 1200 + n, chunks: 3 + n})
	}
	file(1, ben, "plan.pdf", "COMPLETED", "application/pdf", "document")
	file(2, ben, "budget.csv", "COMPLETED", "text/csv", "csv")
	file(3, ben, "broken.pdf", "FAILED", "application/pdf", "document")
	file(4, ben, "fresh.txt", "PROCESSING", "text/plain", "plain_text")
	file(5, ben, "stopped.txt", "CANCELED", "text/plain", "plain_text")
	file(6, ben, "logo.png", "COMPLETED", "image/png", "image")
	file(7, bea, "thesis.pdf", "COMPLETED", "application/pdf", "document")
	file(8, bea, "plan.pdf", "COMPLETED", "application/pdf", "document")
	file(9, ada, "minutes.txt", "COMPLETED", "text/plain", "plain_text")
	file(10, ben, "leaving.txt", "DELETING", "text/plain", "plain_text")
	file(11, ben, "notes.txt", "COMPLETED", "text/plain", "plain_text")
	file(12, ada, "rooms.pdf", "COMPLETED", "application/pdf", "document")
	file(13, ada, "rooms.pdf", "COMPLETED", "application/pdf", "document")
	file(14, ada, "costs.csv", "COMPLETED", "text/csv", "csv")
	file(15, ada, "photo.png", "COMPLETED", "image/png", "image")
	file(16, ada, "scan.pdf", "FAILED", "application/pdf", "document")
	file(17, ada, "new.txt", "PROCESSING", "text/plain", "plain_text")
	file(18, ada, "halted.txt", "CANCELED", "text/plain", "plain_text")
	file(19, ada, "old.txt", "DELETING", "text/plain", "plain_text")
	file(20, ada, "list.txt", "COMPLETED", "text/plain", "plain_text")
	add := func(id int, owner *User, name, text, instructions string, files ...int) {
		p := &Project{id, name, text, instructions, owner, day(60 - id), []string{}}
		for _, n := range files {
			p.files = append(p.files, seedUUID(fmt.Sprint("file ", n)))
		}
		s.projects = append(s.projects, p)
	}
	add(1, ben, "Launch", "The launch in May", "Answer with dates.", 1, 2)
	add(2, ben, "Research", "Reading", "Quote the source.", 1, 11)
	add(3, ben, "Later", "", "")
	add(4, bea, "Thesis", "Chapters 1 to 4", "Be strict.", 7)
	add(5, ada, "Board", "Minutes", "", 9)
	add(6, ada, "Offices", "Rooms of all towns", "Name the town.", 12, 13)
	add(7, ada, "Budget", "Of next year", "", 13, 14)
	add(8, ada, "Archive", "", "")
}

func (s *Service) seedChats() {
	ada, cora, ben, bea := s.users[0], s.users[2], s.users[3], s.users[4]
	add := func(owner *User, name string, before, persona, project int) {
		s.sessions = append(s.sessions, &Chat{id: seedUUID("chat " + name), name: name, owner: owner,
			shared: "private", persona: persona, project: project, created: day(before + 1), updated: day(before)})
	}
	topics := []string{"Budget of May", "Plan for the launch", "Holiday rules", "Naming of parts", "Release 4.2",
		"Table joins", "Köln office", "Travel costs", "Hiring", "Error 17", "Budget of June", "Menu", "Old printer"}
	for i, topic := range topics {
		add(ben, topic, i*2, 1+i%3, 0)
	}
	add(ben, "Launch mail", 3, 2, 1)
	add(ben, "Launch talk", 4, 1, 1)
	add(bea, "Chapter one", 1, 4, 4)
	add(bea, "Budget of Bea", 2, 1, 0)
	add(ada, "Roadmap", 1, 3, 0)
	add(ada, "Rooms in May", 3, 11, 6)
	add(ada, "Plan of costs", 8, 1, 0)
	add(ada, "First week", 12, 11, 0)
	add(cora, "Labels", 5, 1, 0)
	s.sessions[1].shared = "public"
	s.sessions[2].model = "small-2"
}
