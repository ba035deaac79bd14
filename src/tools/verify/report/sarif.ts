import { type Check, checks } from '../checks.js'
import type { VerifyResult } from '../verify.js'
import { fingerprint, type SandboxOwners } from './place.js'

/** SARIF 2.1.0: a rule per check. What could not be checked is a notification of the invocation. Results are located at the operation, and at its line in the user's description. */
export function sarif({ findings, notChecked, problem }: VerifyResult, placeOf: SandboxOwners): string {
  const rules = Object.keys(checks) as Check[]
  const results = findings.map((finding) => {
    const { operation, check, title, expected, got, sequence, more } = finding
    const { request, file, line } = placeOf(operation)
    const physical = { artifactLocation: { uri: encodeURI(file ?? '') }, region: { startLine: line } }
    const also = more > 0 ? `, and ${more} more alike` : ''
    const text = `${operation}, ${title}: expected ${expected}; got ${got}${also}\n${sequence.join('\n')}`
    return {
      ruleId: check,
      ruleIndex: rules.indexOf(check),
      level: 'error',
      message: { text },
      locations: [
        {
          ...(file !== undefined && { physicalLocation: physical }),
          logicalLocations: [{ name: operation, fullyQualifiedName: request, kind: 'member' }]
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
        invocations: [
          {
            executionSuccessful: problem === undefined,
            toolExecutionNotifications: [
              ...(problem === undefined ? [] : [{ level: 'error', message: { text: problem } }]),
              ...notChecked.map(({ operation, subject, why }) => ({
                level: 'note',
                message: { text: `${operation}, ${subject}: not checked, because ${why}` }
              }))
            ]
          }
        ],
        results
      }
    ]
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
