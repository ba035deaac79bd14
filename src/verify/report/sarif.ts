import { type Check, checks } from '../checks.js'
import type { VerifyResult } from '../verify.js'
import { createPlaces, fingerprint } from './place.js'

/** SARIF 2.1.0: a rule per check, located at the operation's place in the contract. */
export function sarif({ findings }: VerifyResult): string {
  const placeOf = createPlaces()
  const rules = Object.keys(checks) as Check[]
  const results = findings.map((finding) => {
    const { operation, check, title, expected, got, sequence, more } = finding
    const { file, line } = placeOf(operation)
    const also = more > 0 ? `, and ${more} more alike` : ''
    const text = `${operation}, ${title}: expected ${expected}; got ${got}${also}\n${sequence.join('\n')}`
    return {
      ruleId: check,
      ruleIndex: rules.indexOf(check),
      level: 'error',
      message: { text },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } },
          logicalLocations: [{ name: operation, kind: 'member' }]
        }
      ],
      partialFingerprints: { 'operationCheck/v1': fingerprint(finding) }
    }
  })
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'knowledge-chat-mock',
            rules: rules.map((id) => ({ id, shortDescription: { text: checks[id] } }))
          }
        },
        results
      }
    ]
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
