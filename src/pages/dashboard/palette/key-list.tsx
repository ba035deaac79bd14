const keys = [
  ['Ctrl K', 'go to anything'],
  ['/', 'filter the requests'],
  ['j', 'the next exchange'],
  ['k', 'the exchange before'],
  ['Enter', 'open the exchange'],
  ['Esc', 'close what is open, go to now'],
  ['[', 'back in time'],
  [']', 'forward in time'],
  ['Ctrl Z', 'undo the last action'],
  ['Ctrl Enter', 'send the request'],
  ['?', 'these keys']
] as const

export function KeyList() {
  return (
    <dl class="keys">
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}
