// A service that follows the description of the knowledge chat platform,
// with bugs and legal choices that are switched on by name.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
)

// A Flag is a bug or a choice. See shows with requests what a client notices.
type Flag struct {
	Name, Section, Text string
	See                 func(t *T) any
}

func main() {
	flags := map[string]bool{}
	list, help, check := "", false, false
	args := os.Args[1:]
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--bug", "--choice":
			if i+1 >= len(args) || !known(args[i], args[i+1]) {
				fmt.Fprintln(os.Stderr, "unknown name after", args[i])
				os.Exit(2)
			}
			i++
			flags[args[i]] = true
		case "--bugs", "--choices":
			list = args[i]
		case "--help":
			help = true
		case "--selfcheck":
			check = true
		default:
			fmt.Fprintln(os.Stderr, "unknown argument", args[i])
			os.Exit(2)
		}
	}
	switch {
	case help:
		printJSON(newService(flags).help())
	case list != "":
		printJSON(named(list))
	case check:
		os.Exit(selfcheck())
	default:
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("listening on http://%s\n", listener.Addr())
		go endWithInput()
		_ = http.Serve(listener, newService(flags))
	}
}

// A program that starts the service through a pipe ends it by closing the pipe.
func endWithInput() {
	info, err := os.Stdin.Stat()
	if err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
}

func bugs() []Flag {
	return join(bugsOfAccess, bugsOfChats, bugsOfPersonas, bugsOfCredentials,
		bugsOfConnectors, bugsOfTools, bugsOfProjects, bugsOfUsers)
}

func choices() []Flag { return join(choicesOfReplies, choicesOfRows) }

func join(lists ...[]Flag) []Flag {
	all := []Flag{}
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func listOf(option string) []Flag {
	if option == "--bug" || option == "--bugs" {
		return bugs()
	}
	return choices()
}

func known(option, name string) bool {
	for _, flag := range listOf(option) {
		if flag.Name == name {
			return true
		}
	}
	return false
}

func named(option string) []obj {
	rows := []obj{}
	for _, flag := range listOf(option) {
		rows = append(rows, obj{"name": flag.Name, "section": flag.Section, "text": flag.Text})
	}
	return rows
}

func printJSON(value any) {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value)
}

// What a client needs to know to call the service: users and the seeded rows.
func (s *Service) help() obj {
	users := []obj{}
	for _, u := range s.users {
		users = append(users, obj{"email": u.email, "id": u.id, "role": u.role,
			"token": u.token, "active": u.active})
	}
	files := []obj{}
	for _, f := range s.files {
		files = append(files, obj{"id": f.id, "owner": f.owner.email, "status": s.statusOf(f)})
	}
	return obj{"users": users, "files": files,
		"adminToken": s.users[0].token, "userToken": s.users[3].token,
		"disposable": obj{
			"persona": []int{9, 10, 11, 12}, "connector": []int{3, 4, 5, 6, 17}, "credential": []int{10, 1},
			"tool": []int{7, 8, 3, 6}, "limit": []int{1, 2, 3, 300}, "project": []int{8, 7, 6},
			"file": []string{seedUUID("file 15"), seedUUID("file 20"), seedUUID("file 12"), seedUUID("file 13"), seedUUID("file 14")},
			"user": []string{"dan@example.org", "dora@example.com", "dan@example.com", "dirk@example.com"},
		},
		"known":    obj{"file": []string{seedUUID("file 16"), seedUUID("file 17"), seedUUID("file 18"), seedUUID("file 19")}},
		"sessions": rowsOf(s.sessions, func(c *Chat) obj { return obj{"id": c.id, "owner": c.owner.email} }),
		"personas": rowsOf(s.personas, func(p *Persona) obj {
			row := obj{"id": p.id, "public": p.f["is_public"], "builtin": p.builtin}
			if p.owner != nil {
				row["owner"] = p.owner.email
			}
			return row
		}),
		"tools": rowsOf(s.tools, func(t *Tool) obj { return obj{"id": t.id, "builtin": t.code != ""} }),
		"credentials": rowsOf(s.credentials, func(c *Credential) obj {
			row := obj{"id": c.id, "source": c.source, "admin_public": c.adminPublic}
			if c.owner != nil {
				row["owner"] = c.owner.email
			}
			return row
		}),
		"connectors": rowsOf(s.connectors, func(c *Connector) obj { return obj{"id": c.id, "source": c.source} }),
		"pairs": rowsOf(s.pairs, func(p *Pair) obj {
			return obj{"id": p.id, "connector": p.connector.id, "credential": p.credential}
		}),
		"projects":     rowsOf(s.projects, func(p *Project) obj { return obj{"id": p.id, "owner": p.owner.email} }),
		"token_limits": keys(s.limits), "labels": len(s.labels), "document_sets": len(s.sets)}
}

func rowsOf[R any](list []R, row func(R) obj) []obj {
	rows := []obj{}
	for _, item := range list {
		rows = append(rows, row(item))
	}
	return rows
}

func keys(set map[int]bool) []int {
	list := []int{}
	for key := range set {
		list = append(list, key)
	}
	sort.Ints(list)
	return list
}
