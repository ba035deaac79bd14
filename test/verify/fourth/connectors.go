package main

import (
	"path"
	"sort"
	"strings"
	"time"
)

func (c *Call) readConnector() any {
	k := c.connector(c.int(0))
	if k == nil {
		if c.on("connector-unknown-500") {
			c.crash()
		}
		if c.on("connector-unknown-404") {
			c.fail(404, "Connector not found")
		}
		return c.status(false, "Connector does not exist.", c.int(0))
	}
	row := obj{"id": k.id, "name": k.name, "source": k.source, "input_type": k.kind,
		"connector_specific_config": k.config, "credential_ids": k.credentials, "time_created": c.ts(k.created),
		"time_updated": c.ts(k.updated), "refresh_freq": k.refresh, "prune_freq": k.prune, "indexing_start": c.ts(k.created)}
	switch {
	case c.on("connector-ids-null") && len(k.credentials) == 0:
		row["credential_ids"] = nil
	case c.on("connector-ids-without-new"):
		row["credential_ids"] = filter(k.credentials, func(id int) bool { return id < 50 })
	case c.on("connector-config-text"):
		row["connector_specific_config"] = "map[base:" + toText(k.config["base"]) + "]"
	case c.on("connector-with-secrets"):
		secrets := []obj{}
		for _, id := range k.credentials {
			if cr := c.credential(id); cr != nil {
				secrets = append(secrets, cr.json)
			}
		}
		row["credentials"] = secrets
	}
	if c.on("connector-optional-absent") {
		delete(row, "refresh_freq")
		delete(row, "prune_freq")
		delete(row, "indexing_start")
	}
	return row
}

func (c *Call) associate() any {
	if c.on("lookup-before-body") {
		c.ends()
	}
	b := c.body("name:str auto_sync_options:obj groups:int[]")
	k, cr := c.ends()
	for _, p := range c.pairs {
		if p.connector == k && p.credential == cr.id && !c.on("associate-twice") {
			if c.on("associate-again-false") {
				return c.status(false, "Connector already has this credential.", p.id)
			}
			if c.on("associate-again-toggles") {
				c.unpair(p)
			}
			return c.status(true, "Connector already has this credential.", p.id)
		}
	}
	if c.on("associate-replaces") {
		for _, p := range c.pairs {
			if p.connector == k {
				c.unpair(p)
			}
		}
	}
	target := k
	if c.on("associate-next-connector") {
		for _, other := range c.connectors {
			if other.id == k.id+1 {
				target = other
			}
		}
	}
	if c.on("associate-twice-in-parallel") {
		c.pause(20)
	}
	name, _ := b["name"].(string)
	p := c.pairOf(target, cr.id, name)
	if c.on("associate-makes-public") {
		cr.adminPublic = true
	}
	p.justAssociated = true
	p.groups = list(b["groups"])
	p.becomesSuccessAt = time.Now().Add(400 * time.Millisecond)
	data := p.id
	if c.on("associate-data-connector") {
		data = k.id
	}
	return c.status(true, "Associated", data)
}

func (c *Call) ends() (*Connector, *Credential) {
	k, cr := c.connector(c.int(0)), c.credential(c.int(1))
	if c.on("associate-unknown-credential") && k != nil && cr == nil && c.r.Method == "PUT" {
		cr = &Credential{id: c.int(1)}
		return k, cr
	}
	if k == nil || cr == nil || !c.maySeeCredential(cr) {
		if c.on("pair-unknown-404") {
			c.fail(404, "Connector or credential not found")
		}
		panic(&Failure{200, c.status(false, "Connector or credential does not exist.", c.int(0))})
	}
	return k, cr
}

func (c *Call) unpair(p *Pair) {
	p.connector.credentials = without(p.connector.credentials, p.credential)
	c.pairs = without(c.pairs, p)
}

func (c *Call) dissociate() any {
	k, cr := c.ends()
	var pair *Pair
	for _, p := range c.pairs {
		if p.connector == k && p.credential == cr.id {
			pair = p
		}
	}
	if pair == nil {
		if c.on("dissociate-again-500") {
			c.crash()
		}
		if c.on("pair-unknown-404") {
			c.fail(404, "Not associated")
		}
		return c.status(false, "Connector does not have this credential.", k.id)
	}
	if c.on("dissociate-nothing") {
		return c.status(true, "Dissociated", k.id)
	}
	for _, p := range append([]*Pair{}, c.pairs...) {
		if c.on("dissociate-all-of-connector") && p.connector == k ||
			c.on("dissociate-from-all-connectors") && p.credential == cr.id {
			c.unpair(p)
		}
	}
	c.unpair(pair)
	if c.on("dissociate-deletes-credential") {
		c.credentials = without(c.credentials, cr)
	}
	return c.status(true, "Dissociated", pair.id)
}

func (c *Call) refreshed(p *Pair) {
	if p.justAssociated && c.on("indexing-delayed") && time.Now().After(p.becomesSuccessAt) {
		p.last, p.finished, p.success = "success", "success", time.Now()
	}
}

func (c *Call) pairRow(p *Pair) obj {
	c.refreshed(p)
	row := obj{"cc_pair_id": p.id, "name": p.name, "source": p.connector.source, "access_type": p.access,
		"cc_pair_status": "SCHEDULED", "in_progress": p.last == "in_progress", "in_repeated_error_state": p.repeated,
		"last_finished_status": p.finished, "last_status": p.last, "is_editable": p.editable,
		"docs_indexed": p.docs, "latest_index_attempt_docs_indexed": p.latest}
	if !p.success.IsZero() {
		row["last_success"] = c.ts(p.success)
	}
	if c.on("indexing-status-capitals") {
		row["last_status"] = strings.ToUpper(p.last)
	}
	if c.on("indexing-source-of-first") {
		row["source"] = c.connectors[0].source
	}
	return row
}

func wanted(list []any, value string) bool {
	for _, item := range list {
		if item == value {
			return true
		}
	}
	return len(list) == 0
}

func (c *Call) indexingStatus() any {
	b := c.body("secondary_index:bool access_type_filters:access[] last_status_filters:status[] docs_count_operator:op " +
		"docs_count_value:int name_filter:str source_to_page:obj get_all_connectors:bool")
	if c.on("indexing-null-filters-500") && b["source_to_page"] == nil && b["name_filter"] == nil && b["get_all_connectors"] == nil {
		c.crash()
	}
	access, last := list(b["access_type_filters"]), list(b["last_status_filters"])
	if c.on("indexing-first-access-only") && len(access) > 1 {
		access = access[:1]
	}
	if c.on("indexing-access-ignored") {
		access = nil
	}
	name, _ := b["name_filter"].(string)
	op, _ := b["docs_count_operator"].(string)
	count, counted := b["docs_count_value"].(int)
	groups, order := map[string][]*Pair{}, []string{}
	for _, p := range c.pairs {
		source := p.connector.source
		if _, ok := groups[source]; !ok {
			groups[source] = []*Pair{}
			order = append(order, source)
		}
		status := p.last
		if c.on("indexing-status-by-finished") {
			status = p.finished
		}
		fits := wanted(access, p.access) && wanted(last, status)
		fits = fits && strings.Contains(strings.ToLower(p.name), strings.ToLower(name))
		if counted && op != "" {
			fits = fits && (op == ">" && p.docs > count || op == "<" && p.docs < count || op == "=" && p.docs == count)
		}
		if fits {
			groups[source] = append(groups[source], p)
		}
	}
	rows := []obj{}
	for _, source := range order {
		if len(groups[source]) > 0 || c.on("indexing-empty-groups") {
			rows = append(rows, c.group(source, groups[source], b))
		}
	}
	if c.on("indexing-newest-first") {
		for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
			rows[i], rows[j] = rows[j], rows[i]
		}
	}
	if c.on("indexing-group-twice") && len(rows) > 0 {
		rows = append(rows, rows[0])
	}
	return rows
}

func (c *Call) group(source string, pairs []*Pair, b obj) obj {
	if c.on("indexing-by-name") {
		sort.SliceStable(pairs, func(a, z int) bool { return pairs[a].name < pairs[z].name })
	}
	of := pairs
	if c.on("indexing-summary-unfiltered") {
		of = filter(c.pairs, func(p *Pair) bool { return p.connector.source == source })
	}
	docs, public := 0, 0
	for _, p := range of {
		docs += p.docs
		if p.access == "public" {
			public++
		}
	}
	total := len(of)
	size := 10
	if c.on("indexing-page-of-4") {
		size = 4
	}
	page := 1
	pagesOf, _ := b["source_to_page"].(obj)
	if number, ok := pagesOf[source]; ok {
		if n, rows := c.checkValue([]any{"body", "source_to_page", source}, "int", number); len(rows) == 0 && n.(int) > 0 {
			page = n.(int)
		} else {
			c.invalid(c.problem([]any{"body", "source_to_page", source}, "Input should be an integer from 1", "int_type", number))
		}
	}
	pages := (len(pairs) + size - 1) / size
	if c.on("indexing-page-ignored") {
		page = 1
	}
	from := (page - 1) * size
	if c.on("indexing-pages-gap") && page > 1 {
		from++
	}
	from = min(from, len(pairs))
	shown := pairs[from:min(from+size, len(pairs))]
	if b["get_all_connectors"] == true && !c.on("indexing-all-ignored") {
		shown, page, pages = pairs, 1, 1
	}
	if c.on("indexing-docs-last-attempt") {
		docs = 0
		for _, p := range of {
			docs += p.latest
		}
	}
	if c.on("indexing-public-counts-sync") {
		public = len(filter(of, func(p *Pair) bool { return p.access != "private" }))
	}
	items := rowsOf(shown, c.pairRow)
	if c.on("indexing-federated") {
		items = append(items, obj{"id": 9001, "name": "Federated", "source": source, "is_federated": true})
		total++
	}
	return obj{"source": source, "current_page": page, "total_pages": pages, "indexing_statuses": items,
		"summary": obj{"total_connectors": total, "active_connectors": total, "public_connectors": public,
			"total_docs_indexed": docs}}
}

func (c *Call) uploadFiles() any {
	c.form()
	files := c.r.MultipartForm.File["files"]
	if len(files) == 0 {
		if c.on("upload-none-500") {
			c.crash()
		}
		c.invalid(c.problem([]any{"body", "files"}, "Field required", "missing", nil))
	}
	paths, names := []string{}, []string{}
	seen := map[string]bool{}
	for i, file := range files {
		if c.on("upload-first-only") && i > 0 || c.on("upload-empty-dropped") && file.Size == 0 ||
			c.on("upload-same-name-once") && seen[file.Filename] {
			continue
		}
		seen[file.Filename] = true
		name := path.Base(file.Filename)
		stored := "connector/" + c.Service.uuid()
		if c.on("upload-path-with-name") {
			stored += "/" + name
		}
		if c.on("upload-path-by-name") {
			stored = "connector/" + name
		}
		switch {
		case c.on("upload-name-ascii"):
			name = strings.Map(func(r rune) rune {
				if r > 126 {
					return '_'
				}
				return r
			}, name)
		}
		paths, names = append(paths, stored), append(names, name)
	}
	if c.on("upload-names-sorted") {
		sort.Strings(names)
	}
	reply := obj{"file_paths": paths, "file_names": names, "zip_metadata": obj{}}
	if c.on("upload-zip-null") {
		reply["zip_metadata"] = nil
	}
	return reply
}
