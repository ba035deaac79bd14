/** A status with its colour. 0 is a broken connection. An answer that breaks the contract does not count as a success. */
export function Status({ status, violations = [] }: { status: number; violations?: readonly string[] }) {
  return <span class={`status ${violations.length > 0 ? 'bad' : toneOf(status)}`}>{status === 0 ? 'cut' : status}</span>
}

function toneOf(status: number): string {
  if (status === 0 || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
