package main

import "fmt"

func pairPath(connector, credential any) string {
	return fmt.Sprintf("/api/manage/connector/%v/credential/%v", connector, credential)
}

func (t *T) pair(connector, credential any) *Reply {
	return t.do("ada", "PUT "+pairPath(connector, credential), `{"name":"Pair","groups":[]}`)
}

func (t *T) unpair(connector, credential any) *Reply {
	return t.do("ada", "DELETE "+pairPath(connector, credential), "")
}

func (t *T) credentialIDs(connector int) any {
	return t.get("ada", fmt.Sprintf("/api/manage/connector/%d", connector)).at("credential_ids")
}

func (t *T) indexing(body string) *Reply { return t.do("ada", statuses, body) }

var bugsOfConnectors = []Flag{
	{"connector-unknown-500", "E15", "An unknown connector crashes", func(t *T) any { return t.get("ada", "/api/manage/connector/9999").Status }},
	{"connector-ids-null", "2.6", "credential_ids is null for a connector without credentials", func(t *T) any { return t.credentialIDs(17) }},
	{"connector-ids-without-new", "2.6, E13", "Credentials made lately are missing in credential_ids", func(t *T) any {
		id, _ := t.key(`{}`)
		t.pair(1, id)
		return t.credentialIDs(1)
	}},
	{"connector-config-text", "2.6", "connector_specific_config is a text", func(t *T) any {
		return t.get("ada", "/api/manage/connector/1").at("connector_specific_config")
	}},
	{"connector-with-secrets", "2.6", "A connector carries the secrets of its credentials", func(t *T) any {
		return t.get("ben", "/api/manage/connector/2").at("credentials.1.password") == "absent"
	}},
	{"associate-twice", "E13", "The same credential is associated twice", func(t *T) any { t.pair(1, 1); return t.credentialIDs(1) }},
	{"associate-again-toggles", "E13", "A second association removes the first", func(t *T) any { t.pair(1, 1); return t.credentialIDs(1) }},
	{"associate-replaces", "E13", "A new association removes those before", func(t *T) any { t.pair(1, 2); return t.credentialIDs(1) }},
	{"associate-next-connector", "E13", "The credential is associated with the connector after the one asked for", func(t *T) any {
		t.pair(3, 2)
		return t.credentialIDs(3)
	}},
	{"associate-twice-in-parallel", "E13", "Associations at the same time are made twice", func(t *T) any {
		together(4, func(int) { t.pair(3, 2) })
		return t.credentialIDs(3)
	}},
	{"associate-makes-public", "E13", "An associated credential becomes public", func(t *T) any {
		t.do("ben", "PUT "+pairPath(17, 4), "{}")
		return t.get("ben", "/api/manage/credential/4").at("admin_public")
	}},
	{"associate-unknown-credential", "E13", "A credential that does not exist is associated", func(t *T) any { t.pair(3, 9999); return t.credentialIDs(3) }},
	{"dissociate-again-500", "E14", "A second dissociation crashes", func(t *T) any { t.unpair(1, 1); return t.unpair(1, 1).Status }},
	{"dissociate-nothing", "E14", "A dissociation does nothing and reports success", func(t *T) any { t.unpair(1, 1); return t.credentialIDs(1) }},
	{"dissociate-all-of-connector", "E14", "All credentials of the connector are dissociated", func(t *T) any { t.unpair(2, 1); return t.credentialIDs(2) }},
	{"dissociate-from-all-connectors", "E14", "The credential is dissociated from all connectors", func(t *T) any { t.unpair(2, 1); return t.credentialIDs(3) }},
	{"dissociate-deletes-credential", "E14", "The dissociated credential is deleted", func(t *T) any {
		t.unpair(2, 2)
		return t.get("ada", "/api/manage/credential/2").at("id")
	}},
	{"indexing-status-capitals", "2.2, E16", "last_status is in capitals", func(t *T) any {
		return t.indexing("{}").at("0.indexing_statuses.0.last_status")
	}},
	{"indexing-source-of-first", "2.10", "source of an item is the source of the first connector", func(t *T) any {
		return t.indexing("{}").at("1.indexing_statuses.0.source")
	}},
	{"indexing-null-filters-500", "E16", "A body without the optional fields crashes", func(t *T) any { return t.indexing("{}").Status }},
	{"indexing-first-access-only", "E16", "Only the first access type of the filter counts", func(t *T) any {
		return t.indexing(`{"access_type_filters":["public","private"]}`).at("*.summary.total_connectors")
	}},
	{"indexing-access-ignored", "E16", "The filter by access type is ignored", func(t *T) any {
		return t.indexing(`{"access_type_filters":["sync"]}`).at("*.summary.total_connectors")
	}},
	{"indexing-status-by-finished", "E16", "last_status_filters compares last_finished_status", func(t *T) any {
		return t.indexing(`{"last_status_filters":["failed"]}`).at("*.indexing_statuses.*.last_status")
	}},
	{"indexing-group-twice", "E16, 2.10", "The first group is listed twice", func(t *T) any { return t.indexing("{}").at("*.source") }},
	{"indexing-page-ignored", "E16", "source_to_page is ignored", func(t *T) any {
		return t.indexing(`{"source_to_page":{"web":2}}`).at("0.current_page")
	}},
	{"indexing-pages-gap", "E16", "The second page leaves a row out", func(t *T) any {
		return t.indexing(`{"source_to_page":{"web":2}}`).at("0.indexing_statuses.*.cc_pair_id")
	}},
	{"indexing-all-ignored", "E16", "get_all_connectors is ignored", func(t *T) any {
		return t.indexing(`{"get_all_connectors":true}`).at("0.indexing_statuses.length")
	}},
	{"indexing-docs-last-attempt", "2.10", "total_docs_indexed adds up the last attempts instead of the documents", func(t *T) any {
		return t.indexing("{}").at("*.summary.total_docs_indexed")
	}},
	{"indexing-public-counts-sync", "2.10", "public_connectors counts those with access type sync", func(t *T) any {
		return t.indexing("{}").at("*.summary.public_connectors")
	}},
	{"upload-none-500", "7.1, E17", "A form without files crashes", func(t *T) any { return t.form("ada", upload, "note", "x").Status }},
	{"upload-first-only", "E17", "Only the first of several files is stored", func(t *T) any {
		return count(t.form("ada", upload, "@files", "a.txt", "a", "@files", "b.txt", "b"), "file_paths")
	}},
	{"upload-empty-dropped", "E17", "An empty file is left out", func(t *T) any {
		return count(t.form("ada", upload, "@files", "a.txt", "", "@files", "b.txt", "b"), "file_paths")
	}},
	{"upload-same-name-once", "E17", "Of two files with the same name one is stored", func(t *T) any {
		return count(t.form("ada", upload, "@files", "a.txt", "a", "@files", "a.txt", "b"), "file_paths")
	}},
	{"upload-path-by-name", "E17", "Two files with the same name get the same path", func(t *T) any {
		r := t.form("ada", upload, "@files", "a.txt", "a", "@files", "a.txt", "b")
		return r.at("file_paths.0") == r.at("file_paths.1")
	}},
	{"upload-name-ascii", "E17", "Letters beyond ASCII in file names become underscores", func(t *T) any {
		return t.form("ada", upload, "@files", "müll.txt", "a").at("file_names")
	}},
	{"upload-names-sorted", "E17", "file_names are sorted: they no longer fit file_paths", func(t *T) any {
		return t.form("ada", upload, "@files", "b.txt", "b", "@files", "a.txt", "a").at("file_names")
	}},
	{"upload-zip-null", "2.15", "zip_metadata is null", func(t *T) any { return t.form("ada", upload, "@files", "a.txt", "a").at("zip_metadata") }},
}
