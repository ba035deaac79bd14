/** A status with its colour. 0 is a broken connection. */
export function Status({ status }: { status: number }) {
  return <span class={`status ${toneOf(status)}`}>{status === 0 ? 'cut' : status}</span>
}

function toneOf(status: number): string {
  if (status === 0 || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
