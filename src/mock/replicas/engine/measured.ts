import { gauge, type Metric } from '../../metrics/exposition.js'
import type { Replicas } from '../replicas.js'

/** The metrics of one process among others. */
export function measured({ counts, owned }: Replicas): Metric[] {
  const counter = (name: string, help: string, value: number): Metric => ({
    name,
    type: 'counter',
    help,
    samples: [{ value }]
  })
  return [
    gauge('kcm_sandboxes_owned', 'Sandboxes that this process owns.', owned.size),
    counter('kcm_forwarded_total', 'Requests that were passed on to another process.', counts.forwarded),
    counter('kcm_claims_total', 'Sandboxes that this process has claimed.', counts.claims),
    counter('kcm_fenced_total', 'Changes that were refused because the sandbox had moved.', counts.fenced),
    counter('kcm_unknown_total', 'Changes of which it is not known whether they were kept.', counts.unknown),
    counter('kcm_too_few_copies_total', 'Changes that too few replicas of the engine had.', counts.tooFew),
    counter('kcm_engine_lost_entries', 'Entries that were kept and that the engine has lost.', counts.lost),
    {
      name: 'kcm_append_seconds',
      type: 'histogram',
      help: 'Time that the engine took to keep changes.',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf' }, value: counts.appends },
        { suffix: '_sum', value: counts.appendSeconds },
        { suffix: '_count', value: counts.appends }
      ]
    }
  ]
}
