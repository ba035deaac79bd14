/** The bugs that no client can see, or that verify does not look for, with the reason. */
export const missed: Readonly<Record<string, string>> = {
  'token-in-query': 'Addresses are written into logs, so verify never sends a real token in one.',
  'E1-renames':
    'The oldest one changes once. No client can tell this from another client of the same user, who renames it then.',
  'E7-another':
    'The agent goes once, and can be no disposable one. No client can tell this from another client, who deletes it then.',
  'ignored E6 display_priority':
    'A service may keep the display_priority of an agent once it is set: persona.display-priority, kept.',
  'E3-query-ignored':
    'The description does not show the name of the query, so no client can tell this from a query of another name.',
  'unchecked E16 docs_count_operator':
    'The description does not show the name of the field: a service may know it by another, and pass over this one.'
}
