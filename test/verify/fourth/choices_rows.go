package main

import "fmt"

func titles(t *T) any {
	r := t.get("ben", search)
	return all(r.at("groups.*.title"), r.at("groups.*.chats.length"), r.at("next_page"), r.at("has_more"))
}

func firstChats(t *T) any { return t.get("ben", chats).at("sessions.*.name") }

func newName(t *T) any {
	return walk(t.session("ben", t.chat("ben", `{"persona_id":1,"description":"Mine"}`)), []string{"name"})
}

func agent(n int, fields ...string) func(t *T) any {
	return func(t *T) any {
		seen := []any{}
		for _, field := range fields {
			seen = append(seen, t.get("ben", fmt.Sprint(agents, n)).at(field))
		}
		return seen
	}
}

func credentialOf(n int, field string) func(t *T) any {
	return func(t *T) any { return t.get("ada", fmt.Sprint("/api/manage/credential/", n)).at(field) }
}

func unknownKey(t *T) any {
	r := t.get("ada", "/api/manage/credential/9999")
	return all(r.Status, r.Text)
}

func listedKeys(t *T) any { t.key("{}"); return t.get("ada", allKeys).at("*.name") }

func pairedTwice(t *T) any { t.pair(3, 2); r := t.pair(3, 2); return r.Text }

func index(body string, path string) func(t *T) any {
	return func(t *T) any { return t.indexing(body).at(path) }
}

func invitedTwice(t *T) any {
	t.invite(`["ann@example.com"]`)
	return t.invite(`["ann@example.com"]`).Text
}

var choicesOfRows = []Flag{
	{"session-name-empty", "2.3, E1", "description does not become the name of a session", newName},
	{"session-name-generic", "2.3, E1", "A session without a description is called New chat", func(t *T) any {
		return walk(t.session("ben", t.chat("ben", `{"persona_id":1}`)), []string{"name"})
	}},
	{"session-unset-filled", "2.3", "Sessions have all fields", func(t *T) any { return t.get("ben", chats).at("sessions.0.current_temperature_override") }},
	{"sessions-oldest-first", "E2", "Sessions are listed from the oldest", firstChats},
	{"sessions-by-name", "E2", "Sessions are listed by name", firstChats},
	{"incognito-listed", "E1, E2", "Incognito sessions are listed", func(t *T) any {
		t.chat("ben", `{"persona_id":1,"incognito":true}`)
		return count(t.get("ben", chats), "sessions")
	}},
	{"unknown-reference-422", "7", "An unknown row in a body gives 422 instead of 404", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":999}`).Status
	}},
	{"search-page-of-3", "8.2, E3", "A page of the search has three rows", titles},
	{"search-next-always", "E3", "next_page is there on the last page too", func(t *T) any { return t.get("ada", search).at("next_page") }},
	{"search-next-zero", "E3", "next_page is 0 on the last page", func(t *T) any { return t.get("ada", search).at("next_page") }},
	{"search-empty-groups", "E3", "The groups Today and Yesterday are there without rows", titles},
	{"search-one-group", "E3", "All rows are in one group", titles},
	{"search-by-month", "E3", "The groups are months", titles},
	{"agent-unset-filled", "2.7", "Texts of an agent that are not set are empty", agent(1, "icon_name")},
	{"agent-empty-absent", "2.7", "Empty groups, files and starters of an agent are absent", agent(1, "groups", "user_file_ids")},
	{"agent-lists-by-name", "2.7", "Tools, labels and document sets are in the order of names", agent(3, "tools.*.name", "labels.*.name")},
	{"patch-reply-without-date", "2.7, E6", "search_start_date is in the read reply alone", func(t *T) any {
		return t.do("ada", "PATCH "+agents+"3", `{"name":"x"}`).at("search_start_date")
	}},
	{"patch-defaults-set", "E6", "Fields with a default get it when they are not given", func(t *T) any {
		return t.do("ada", "PATCH "+agents+"3", `{"name":"x"}`).at("replace_base_system_prompt")
	}},
	{"builtin-400", "7.3", "What is built in can not be deleted: 400 instead of 403", func(t *T) any { return t.do("ada", "DELETE "+agents+"1", "").Status }},
	{"credential-name-null", "2.4", "A missing name is null instead of absent", credentialOf(5, "name")},
	{"credential-groups-absent", "2.4", "Empty groups are absent", credentialOf(1, "groups")},
	{"credential-email-absent", "2.4", "user_email is absent", credentialOf(1, "user_email")},
	{"credential-email-null", "2.4", "user_email of a credential without a user is null", credentialOf(3, "user_email")},
	{"admin-sees-all-credentials", "5.4", "Administrators read the private credentials of users", credentialOf(4, "name")},
	{"credential-list-newest-first", "E10", "New credentials are first in the list", listedKeys},
	{"credentials-by-name", "E10", "Credentials are listed by name", listedKeys},
	{"credential-unknown-404", "E9", "An unknown credential gives 404", unknownKey},
	{"status-message-null", "2.5", "message of a status is null", unknownKey},
	{"status-data-null", "2.5", "data of a status is null", unknownKey},
	{"status-bare", "2.5", "A status has success alone", unknownKey},
	{"key-file-optional", "E12", "A form without a file is accepted", func(t *T) any { return t.put("1", "credential_json", "{}").Status }},
	{"key-as-text", "E12", "The content of the file is stored as it is", func(t *T) any { return t.put("1", keyParts...).at("credential_json") }},
	{"key-reply-with-id", "E12", "The reply has the id", func(t *T) any { return t.put("1", keyParts...).at("id") }},
	{"connector-unknown-404", "E15", "An unknown connector gives 404", func(t *T) any { return t.get("ada", "/api/manage/connector/9999").Status }},
	{"connector-optional-absent", "2.6", "refresh_freq, prune_freq and indexing_start are absent", func(t *T) any {
		return t.get("ada", "/api/manage/connector/1").at("refresh_freq")
	}},
	{"associate-again-false", "E13", "A second association changes nothing and has success false", pairedTwice},
	{"associate-data-connector", "E13", "data of an association is the connector", func(t *T) any { return t.pair(3, 2).at("data") }},
	{"pair-unknown-404", "E13, E14", "An unknown connector, credential or pair gives 404", func(t *T) any { return t.unpair(3, 2).Status }},
	{"indexing-delayed", "2.10, 3", "A new pair is indexed after a while", func(t *T) any {
		t.pair(17, 3)
		wait(500)
		return t.indexing(`{"name_filter":"Pair"}`).at("0.indexing_statuses.*.last_status")
	}},
	{"indexing-empty-groups", "E16", "Sources without rows are there with an empty list", index(`{"name_filter":"Site 3"}`, "*.source")},
	{"indexing-newest-first", "E16", "The groups are in another order", index("{}", "*.source")},
	{"indexing-by-name", "E16", "Rows of a group are in the order of names", index("{}", "0.indexing_statuses.*.name")},
	{"indexing-summary-unfiltered", "2.10", "The summary counts all rows of the source, not those of the filter", index(`{"name_filter":"Site 3"}`, "0.summary")},
	{"indexing-page-of-4", "8.2", "A page has four rows", index("{}", "0.total_pages")},
	{"indexing-federated", "2.10", "A group has a federated connector", index("{}", "0.indexing_statuses.10")},
	{"upload-path-with-name", "2.15", "Paths end with the name of the file", func(t *T) any {
		return fmt.Sprint(t.form("ada", upload, "@files", "a.txt", "a").at("file_paths.0"))[46:]
	}},
	{"urls-bad-422", "E18, 7.1", "An address that is none gives 422", func(t *T) any { return t.urls(`["nothing"]`).Status }},
	{"urls-once", "E18", "An address that is given twice is fetched once", func(t *T) any {
		return count(t.urls(`["https://example.com/1","https://example.com/1"]`), "results")
	}},
	{"urls-from-zero", "2.13", "The numbers begin at 0", func(t *T) any { return t.urls(`["https://example.com/1"]`).at("results.0") }},
	{"urls-content-empty", "2.13", "The content is empty", func(t *T) any { return t.urls(`["https://example.com/1"]`).at("results.0") }},
	{"validate-bad-400", "7.3, E19", "A definition that is none gives 400", func(t *T) any { return t.do("ada", validate, `{"definition":{}}`).Status }},
	{"validate-method-upper", "2.14", "Methods are in capitals", func(t *T) any { return t.methods().at("methods.*.method") }},
	{"files-slowly-ready", "3", "A file is processed for 1.5 s", func(t *T) any { wait(500); return t.file("ben", 4).at("status") }},
	{"files-fail", "3", "A file that is processed fails", func(t *T) any { wait(500); return t.file("ben", 4).at("status") }},
	{"file-project-absent", "2.11", "project_id of a file is absent", func(t *T) any { return t.file("ben", 1).at("project_id") }},
	{"instructions-absent", "2.12", "Instructions that are not set are absent", func(t *T) any { return t.details("ben", 3).at("project.instructions") }},
	{"projects-newest-first", "E21", "Projects are listed from the newest", func(t *T) any { return t.get("ben", projects).at("*.id") }},
	{"details-all-agents", "E22", "persona_id_to_is_default has all agents", func(t *T) any { return t.details("ben", 3).at("persona_id_to_is_default") }},
	{"link-touches", "2.11, E24", "A link sets last_accessed_at", func(t *T) any {
		before := t.file("ben", 6).at("last_accessed_at")
		t.link("ben", 3, 6)
		return before == t.file("ben", 6).at("last_accessed_at")
	}},
	{"file-delete-reports-after", "E26", "The reply shows what is left after the deletion: nothing", func(t *T) any { return t.dropFile("ben", 1).at("project_names") }},
	{"file-delete-pending", "3, E26", "A deleted file is DELETING for a moment", func(t *T) any { t.dropFile("ben", 6); return t.file("ben", 6).Status }},
	{"link-again-409", "3.3, E24", "A second link is refused and changes nothing", func(t *T) any { return t.link("ben", 1, 1).Status }},
	{"invite-any-text", "E27", "Any text counts as an address", func(t *T) any { return t.invite(`["nobody"]`).Status }},
	{"invite-none-422", "E27", "An empty list of addresses is refused", func(t *T) any { return t.invite("[]").Status }},
	{"invite-bad-400", "7.4, E27", "A bad address gives 400", func(t *T) any { return t.invite(`["nobody"]`).Status }},
	{"invite-counts-new", "E27", "The integer counts those invited for the first time", invitedTwice},
	{"delete-user-case-open", "E28", "The case of an address does not matter", func(t *T) any { return t.dropUser("Dora@Example.com").Status }},
	{"roles-in-capitals", "E29", "Roles are in capitals", func(t *T) any { return t.get("ben", role).Text }},
}
