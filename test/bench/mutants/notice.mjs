/** @typedef {import('./prism.mjs').Report & {operation?: string, method: string, path: string, status: number, at: number}} ExchangeReport */

const isSuccess = (status) => status >= 200 && status < 300

/**
 * What Prism reported about each exchange, with the exchange that it is about.
 * @returns {ExchangeReport[]}
 */
export function reportsOf(exchanges, verdicts) {
  return exchanges.flatMap(({ operation, request: { method, path }, reply: { status } }, index) =>
    verdicts[index].reports.map((report) => ({ ...report, operation, method, path, status, at: index }))
  )
}

/**
 * What it reported about a mutant only, not about the mock as it is. `replies`: about a reply. `accepted`: about a request if the
 * server that is wrong answered with success and the mock never did; such a report does not say so, but who reads it
 * next to the status finds the fault.
 */
export function newIn(reports, healthy) {
  const keys = new Set(healthy.map(keyOf))
  const fresh = reports.filter((it) => !keys.has(keyOf(it)))
  return {
    replies: fresh.filter(({ side }) => side === 'response'),
    accepted: fresh.filter(({ side, status }) => side === 'request' && isSuccess(status))
  }
}

const alarms = [
  ['of a reply', ({ side }) => side === 'response'],
  ['of a request that the mock accepts', ({ side, status }) => side === 'request' && isSuccess(status)],
  ['answered by Prism itself, the server not asked', ({ side }) => side === 'own']
]

/** What it reported about the mock as it is, where nothing is wrong: each kind once. */
export function alarmsIn(reports) {
  const kinds = new Map()
  for (const [about, isMeant] of alarms) {
    for (const it of reports.filter(isMeant)) {
      const key = `${about} ${it.severity} ${general(it.message)}`
      const kind = kinds.get(key) ?? { about, count: 0, example: it }
      kind.count++
      kinds.set(key, kind)
    }
  }
  return [...kinds.values()]
}

/** The same report, wherever in a list and for whatever id. The status too: Prism may tell the same of another one. */
function keyOf({ operation, method, status, side, severity, code, place, message }) {
  return JSON.stringify([operation ?? method, status, side, severity, code, general(place), general(message)])
}

function general(text) {
  return text.replace(/\d+/g, '*')
}
