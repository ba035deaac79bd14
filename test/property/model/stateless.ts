import { done, type Predict } from './model.js'

/** Operations that change nothing that an operation shows: E17, E18, E19. */

const uploadConnectorFiles: Predict = ({ form = [] }) => {
  const names = form.map(([, file]) => (file as { name: string }).name)
  return done(({ file_paths, file_names, zip_metadata }: Uploaded) => [
    [file_names, zip_metadata, new Set(file_paths).size, file_paths.every((it) => uuid.test(it))],
    [names, {}, names.length, true]
  ])
}

const openUrls: Predict = ({ body }) => {
  const urls = (body.urls as string[]).map((it) => it.trim()).filter((it) => it !== '')
  if (urls.length === 0) return { status: 422 }
  const readable = urls.filter((it) => /^https?:\/\/[^ ]+$/.test(it) && !it.includes('.invalid'))
  return done(({ results, provider_type }: { results: Page[]; provider_type: string }) => [
    [provider_type, ...results.map(fieldsOf)],
    ['service_web_crawler', ...readable.map((url) => [-1, url, 'open_url', contentOf(url, results)])]
  ])
}

const validateTool: Predict = ({ body: { definition } }) => {
  if (!definition.info) return { status: 422 }
  const [[path, item]] = Object.entries(definition.paths) as [
    [string, Record<string, object & { operationId: string }>]
  ]
  return done({
    methods: Object.entries(item).map(([method, spec]) => {
      return { name: spec.operationId, summary: (spec as { summary?: string }).summary, path, method, spec }
    })
  })
}

export const stateless = { uploadConnectorFiles, openUrls, validateTool }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Page = Record<string, unknown>
interface Uploaded {
  file_paths: string[]
  file_names: string[]
  zip_metadata: object
}

function fieldsOf({ document_citation_number, unique_identifier_to_strip_away, type, content }: Page) {
  return [document_citation_number, unique_identifier_to_strip_away, type, content]
}

/** The text of a page when it is first read: it never changes. */
const contents = new Map<string, unknown>()

function contentOf(url: string, results: Page[]): unknown {
  if (!contents.has(url)) {
    const page = results.find((it) => it.unique_identifier_to_strip_away === url)
    contents.set(url, typeof page?.content === 'string' && page.content !== '' ? page.content : 'a text')
  }
  return contents.get(url)
}
