import { useEffect, useState } from 'preact/hooks'
import { call } from '../client.js'
import { useCall, useLoad } from '../load.js'
import { Combobox } from '../parts/combobox.js'
import { Head, Pending } from '../parts/page.js'
import { go, href, route } from '../route.js'
import { beginning, type FormStart } from './beginning.js'
import { Form } from './form.js'
import { takings } from './memory.js'
import { readOperation } from './operation.js'

/** Any path, instead of an operation. */
const any = 'any'

/** Builds a request and sends it: for an operation, from an exchange, or to any path. */
export function Send() {
  const { rest, query } = route.value
  const [name] = rest
  const from = query.get('from') ?? undefined
  const operations = useCall('listOperations')
  return (
    <>
      <Head title="Send a request">{operations.value && <Chooser chosen={name} {...operations.value} />}</Head>
      {name === undefined ? (
        <p class="quiet">
          Choose an operation, or <a href={href('send', [any])}>any path</a>. Values that work are filled in, and the
          answer is an exchange as any other.
        </p>
      ) : (
        <Loaded key={`${name} ${from} ${takings.value}`} name={name} from={from} />
      )}
    </>
  )
}

interface OperationChoice {
  id: string
  method: string
  path: string
  summary: string
}

function Chooser({ chosen, operations }: { chosen: string | undefined; operations: OperationChoice[] }) {
  const [text, setText] = useState<string>()
  const choose = (id: string) => {
    setText(undefined)
    go(href('send', [id]))
  }
  const shown = chosen === undefined ? '' : chosen === any ? 'any path' : chosen
  return (
    <div class="chooser-of">
      <Combobox
        label="Operation"
        placeholder="Find an operation"
        value={text ?? shown}
        load={() => {
          const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean)
          const all = [{ id: any, label: 'any path', hint: 'Method and address of your own' }].concat(
            operations.map(({ id, method, path }) => ({ id, label: id, hint: `${method} ${path}` }))
          )
          return all.filter(({ label, hint }) => words.every((it) => `${label} ${hint}`.toLowerCase().includes(it)))
        }}
        onInput={setText}
        onChoose={({ id }) => choose(id)}
        takesOnly
      />
    </div>
  )
}

function Loaded({ name, from }: { name: string; from: string | undefined }) {
  const [start, begin] = useState<FormStart>()
  const loaded = useLoad(async () => {
    const operation = name === any ? undefined : await readOperation(name)
    const collections = await call('listCollections')
    return { operation, ...collections }
  }, name)
  const { value } = loaded
  useEffect(() => {
    if (value && !start) void beginning(value.operation, name, from).then(begin)
  }, [value])
  if (!value || !start) return <Pending loaded={loaded} />
  return <Form name={name} from={from} start={start} {...value} />
}
