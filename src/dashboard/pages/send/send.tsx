import { useEffect, useState } from 'preact/hooks'
import { call, type Reply, useCall, useLoad } from '../client.js'
import { type Operation, readOperation } from '../operations.js'
import { isHidden, isUpload } from '../outgoing/outgoing.js'
import { sayFailed } from '../parts/actions.js'
import { Combobox } from '../parts/choices.js'
import { Head, Loaded } from '../parts/page.js'
import { go, href, route } from '../route.js'
import { draftFrom, draftOf, withAddress } from './draft.js'
import { Form, type FormStart } from './form.js'
import { readDraft, takings } from './memory.js'

const any = 'any'

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
          Choose an operation, or <a href={href('send', [any])}>any path</a>. Values that work are filled in. The
          request is in the journal, like any other.
        </p>
      ) : (
        <Bench key={`${name} ${from} ${takings.value}`} name={name} from={from} />
      )}
    </>
  )
}

function Chooser({ chosen, operations }: Reply<'listOperations'> & { chosen: string | undefined }) {
  const [text, setText] = useState<string>()
  const find = () => {
    const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const all = [
      { id: any, label: 'any path', hint: 'Your own method and address' },
      ...operations.map(({ id, method, path }) => ({ id, label: id, hint: `${method} ${path}` }))
    ]
    return all.filter(({ label, hint }) => words.every((it) => `${label} ${hint}`.toLowerCase().includes(it)))
  }
  return (
    <div class="chooser-of">
      <Combobox
        label="Operation"
        placeholder="Find an operation"
        value={text ?? (chosen === any ? 'any path' : (chosen ?? ''))}
        load={find}
        onInput={setText}
        onChoose={({ id }) => {
          setText(undefined)
          go(href('send', [id]))
        }}
        takesOnly
      />
    </div>
  )
}

function Bench({ name, from }: { name: string; from: string | undefined }) {
  const [start, begin] = useState<FormStart>()
  const loaded = useLoad(async () => {
    const operation = name === any ? undefined : await readOperation(name)
    const { collections } = await call('listCollections')
    return { operation, collections }
  }, name)
  const { value } = loaded
  useEffect(() => {
    if (value && !start) void startOf(value.operation, name, from).then(begin)
  }, [value])
  return (
    <Loaded from={start ? loaded : { error: loaded.error }} isForm>
      {(parts) => start && <Form name={name} from={from} start={start} {...parts} />}
    </Loaded>
  )
}

/** The unfinished request, that of an exchange, or one with working values; then the values in the URL. */
async function startOf(operation: Operation | undefined, name: string, from: string | undefined): Promise<FormStart> {
  const { query } = route.peek()
  const before = readDraft(name, from)
  if (before) return { draft: withAddress(before, query) }
  try {
    if (from !== undefined) {
      const exchange = await call('getRequest', { path: { id: from } })
      const { omitted } = exchange.request
      const lost = isUpload(exchange.request)
        ? 'The journal does not keep files: choose them again.'
        : omitted !== undefined
          ? `The body was not kept: ${omitted}.`
          : isHidden(exchange)
            ? 'The journal hides secrets: replace each *** before you send it.'
            : undefined
      return { draft: withAddress(draftFrom(exchange, operation), query), lost }
    }
  } catch (error) {
    sayFailed(error as Error)
  }
  return { draft: withAddress(draftOf(operation), query) }
}
