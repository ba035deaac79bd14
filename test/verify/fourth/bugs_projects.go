package main

import (
	"fmt"
	"strings"
)

func fileID(n int) string { return seedUUID(fmt.Sprint("file ", n)) }

func (t *T) details(who string, project int) *Reply {
	return t.get(who, fmt.Sprintf("/api/user/projects/%d/details", project))
}

func (t *T) link(who string, project, file int) *Reply {
	return t.do(who, fmt.Sprintf("POST /api/user/projects/%d/files/%s", project, fileID(file)), "")
}

func (t *T) instruct(who string, project int, text string) *Reply {
	return t.do(who, fmt.Sprintf("POST /api/user/projects/%d/instructions", project), `{"instructions":"`+text+`"}`)
}

func (t *T) instructed(text string) any {
	t.instruct("ben", 2, text)
	return t.details("ben", 2).at("project.instructions")
}

func (t *T) file(who string, n int) *Reply { return t.get(who, "/api/user/projects/file/"+fileID(n)) }

func (t *T) dropFile(who string, n int) *Reply {
	return t.do(who, "DELETE /api/user/projects/file/"+fileID(n), "")
}

func names(r *Reply) []string { return sorted(r.at("files.*.name")) }

var bugsOfProjects = []Flag{
	{"file-status-ready", "2.2", "A completed file has the status READY", func(t *T) any { return t.file("ben", 1).at("status") }},
	{"file-kind-pdf", "2.2", "chat_file_type of a PDF is pdf", func(t *T) any { return t.file("ben", 1).at("chat_file_type") }},
	{"file-id-is-blob", "2.11, E25", "id is the id of the stored blob", func(t *T) any { return t.file("ben", 1).at("id") }},
	{"project-chats-null", "2.12", "chat_sessions is null for a project without sessions", func(t *T) any {
		return t.details("ben", 3).at("project.chat_sessions")
	}},
	{"project-chats-of-first-project", "2.12", "Each project shows the sessions of the first project", func(t *T) any {
		return count(t.details("bea", 4), "project.chat_sessions")
	}},
	{"project-created-now", "2.12", "created_at is the time of the request", func(t *T) any {
		first := t.details("ben", 1).at("project.created_at")
		wait(1100)
		return first == t.details("ben", 1).at("project.created_at")
	}},
	{"projects-of-all-for-admin", "1, E21", "An administrator lists the projects of all users", func(t *T) any { return ids(t.get("ada", projects)) }},
	{"projects-without-empty", "E21", "Projects without files are missing in the list", func(t *T) any { return ids(t.get("ben", projects)) }},
	{"projects-null-when-none", "E21", "No projects: null instead of an empty list", func(t *T) any { return t.get("dan", projects).Text }},
	{"projects-one-per-file", "E21", "A project with several files is listed twice", func(t *T) any { return ids(t.get("ben", projects)) }},
	{"project-unknown-500", "E22", "An unknown project crashes", func(t *T) any { return t.details("ben", 9999).Status }},
	{"details-foreign", "1, E22", "The project of another user is read", func(t *T) any { return t.details("bea", 1).Status }},
	{"details-files-of-user", "E22", "All files of the user are shown for each project", func(t *T) any { return names(t.details("ben", 2)) }},
	{"details-completed-only", "E22", "Files that failed are missing in the project", func(t *T) any {
		t.link("ben", 3, 3)
		return names(t.details("ben", 3))
	}},
	{"details-files-null", "E22", "files is null for a project without files", func(t *T) any { return t.details("ben", 3).at("files") }},
	{"instructions-foreign", "1, E23", "Instructions of another user's project are changed", func(t *T) any { return t.instruct("bea", 1, "Mine").Status }},
	{"instructions-appended", "E23", "New instructions are added to the old ones", func(t *T) any { return t.instructed("New") }},
	{"instructions-cut", "E23", "Instructions are cut after 1000 characters", func(t *T) any {
		return len(fmt.Sprint(t.instructed(strings.Repeat("a", 1200))))
	}},
	{"instructions-empty-ignored", "E23", "Empty instructions do not replace the old ones", func(t *T) any { return t.instructed("") }},
	{"instructions-latin", "E23", "Characters beyond Latin become question marks", func(t *T) any { return t.instructed("日本 ok") }},
	{"instructions-markup", "E23", "Text between < and > is removed", func(t *T) any { return t.instructed("a <b> c") }},
	{"instructions-line-ends", "E23", "Line ends are changed", func(t *T) any { return t.instructed(`a\r\nb`) }},
	{"instructions-late", "E23", "Instructions change almost a second after the reply", func(t *T) any { return t.instructed("New") }},
	{"instructions-on-all-projects", "E23", "Instructions are set on all projects of the user", func(t *T) any {
		t.instructed("Everywhere")
		return t.details("ben", 1).at("project.instructions")
	}},
	{"instructions-not-stored", "E23", "Every second change of instructions is not stored", func(t *T) any { t.instructed("One"); return t.instructed("Two") }},
	{"file-unknown-500", "E25", "An unknown file crashes", func(t *T) any { return t.file("ben", 999).Status }},
	{"file-foreign-read", "E25, 1", "The file of another user is read", func(t *T) any { return t.file("bea", 1).Status }},
	{"file-failed-404", "3.1, E25", "A failed file is not found", func(t *T) any { return t.file("ben", 3).Status }},
	{"file-deleting-404", "3.1, E25", "A file in status DELETING is not found", func(t *T) any { return t.file("ben", 10).Status }},
	{"link-foreign-project", "1, E24", "A file is linked to the project of another user", func(t *T) any { return t.link("ben", 4, 6).Status }},
	{"link-foreign-file", "E24", "The file of another user is linked", func(t *T) any { return t.link("ben", 3, 7).Status }},
	{"link-unknown-file", "E24", "A file that does not exist is linked", func(t *T) any { return t.link("ben", 3, 999).Status }},
	{"link-again-unlinks", "3.3, E24", "A second link removes the first", func(t *T) any { t.link("ben", 1, 1); return names(t.details("ben", 1)) }},
	{"link-again-copies", "3.3, E24", "A second link makes a copy of the file", func(t *T) any {
		t.link("ben", 1, 1)
		return names(t.details("ben", 1))
	}},
	{"link-moves", "3.3, E24", "A link removes the file from its other projects", func(t *T) any {
		t.link("ben", 3, 1)
		return names(t.details("ben", 1))
	}},
	{"link-replaces-others", "3.3, E24", "A link removes the other files of the project", func(t *T) any {
		t.link("ben", 1, 6)
		return names(t.details("ben", 1))
	}},
	{"link-lost-in-parallel", "3.3, E24", "Files linked at the same time get lost", func(t *T) any {
		together(4, func(i int) { t.link("ben", 3, []int{1, 2, 3, 6}[i]) })
		return names(t.details("ben", 3))
	}},
	{"link-nothing", "E24", "A link is not stored", func(t *T) any { t.link("ben", 3, 1); return names(t.details("ben", 3)) }},
	{"link-reply-other-file", "E24", "The reply shows the first file of the project", func(t *T) any { return t.link("ben", 1, 6).at("name") }},
	{"file-delete-again-500", "E26", "A second deletion crashes", func(t *T) any { t.dropFile("ben", 6); return t.dropFile("ben", 6).Status }},
	{"file-delete-foreign", "E26", "The file of another user is deleted", func(t *T) any { return t.dropFile("bea", 1).Status }},
	{"file-delete-names-null", "E26", "assistant_names is null when there are none", func(t *T) any { return t.dropFile("ben", 2).at("assistant_names") }},
	{"file-delete-refused-when-linked", "3.2, E26", "A linked file is not deleted", func(t *T) any { t.dropFile("ben", 2); return t.file("ben", 2).Status }},
	{"file-delete-keeps-links", "3.2, E26", "A deleted file stays in its projects for good", func(t *T) any {
		t.dropFile("ben", 2)
		return names(t.details("ben", 1))
	}},
	{"file-delete-first-link-only", "3.2, E26", "A file in two projects is removed from the first alone", func(t *T) any {
		t.dropFile("ben", 1)
		return names(t.details("ben", 2))
	}},
	{"file-delete-takes-projects", "3.2, E26", "The projects of a deleted file are deleted", func(t *T) any {
		t.dropFile("ben", 2)
		return ids(t.get("ben", projects))
	}},
	{"file-delete-same-name", "E26", "Files with the same name are deleted too, of all users", func(t *T) any {
		t.dropFile("ben", 1)
		return t.file("bea", 8).Status
	}},
}
