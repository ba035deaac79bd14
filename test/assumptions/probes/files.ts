import type { Rows, UserFile } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'
import type { Opened } from '../sandboxes.js'

/** A file of the administrator in project 1. */
const linked = 'a87ff679-a2f3-471d-9181-a67b7542122c'
const address = `/api/user/projects/file/${linked}`

export const fileProbes: Record<string, Probe> = {
  'projects.trailing-slash': async ({ call }) => {
    const { status, headers } = await call('GET', '/api/user/projects')
    return [status, headers.get('location')]
  },

  'projects.failed-files': async ({ call }) =>
    (await call('GET', '/api/user/projects/1/details')).body.files.map((file: UserFile) => file.status),

  'projects.default-map': async ({ call, sandbox: { rows } }) => {
    for (const row of [...rows.personas.all()]) {
      rows.personas.put({ ...row, is_default_persona: !row.builtin_persona })
    }
    return (await call('GET', '/api/user/projects/1/details')).body.persona_id_to_is_default
  },

  'files.last-accessed': async ({ call }) => (await call('GET', address)).body.last_accessed_at,

  'files.linkable': ({ call, sandbox: { rows } }) => {
    const row = rows.userFiles.get(linked) as Rows['userFiles']
    rows.userFiles.put({ ...row, status: 'FAILED' })
    return seen(call('POST', `/api/user/projects/2/files/${linked}`))
  },

  'files.counts': async ({ call, sandbox: { rows } }) => {
    const row = rows.userFiles.get(linked) as Rows['userFiles']
    rows.userFiles.put({ ...row, status: 'FAILED', token_count: 7 })
    return (await call('GET', address)).body.token_count ?? null
  },

  'files.project-id': async ({ call }) => (await call('POST', `/api/user/projects/2/files/${linked}`)).body.project_id,

  'files.temp-id': async ({ call, sandbox: { rows } }) => {
    rows.userFiles.put({ ...(rows.userFiles.get(linked) as Rows['userFiles']), temp_id: 'upload-7' })
    return (await call('GET', address)).body.temp_id ?? null
  },

  'files.times': async ({ call }) => (await call('GET', address)).body.created_at,

  'files.deletion-again': async ({ call }) => [
    await statusOf(call('DELETE', address)),
    await statusOf(call('DELETE', address))
  ],

  'files.lifecycle': async (on) => {
    const file = freshFile(on)
    const statuses = [await read(on, file), await read(on, file), await read(on, file)]
    on.sandbox.clock.set({ now: on.sandbox.clock.now + 60_000 })
    return [...statuses, await read(on, file)]
  },

  'files.deletion': async ({ call, sandbox: { rows } }) => [
    await seen(call('DELETE', address)),
    [...rows.projectFiles.where('byFile', linked)].length,
    rows.userFiles.get(linked)?.status
  ],

  'files.deletion-report': async ({ call }) => (await call('DELETE', address)).body.has_associations,

  'files.assistants': async ({ call, sandbox: { rows } }) => {
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, user_file_ids: [linked] })
    return (await call('DELETE', address)).body.assistant_names
  },

  'files.deleting': async ({ call }) => {
    await call('DELETE', address)
    return [await seen(call('GET', address)), await statusOf(call('DELETE', address))]
  }
}

/** One that was uploaded a moment ago and will be read. */
function freshFile({ sandbox: { rows } }: Opened): string {
  const admin = rows.users.first('byKey', 'admin')?.id as string
  const files = [...rows.userFiles.where('byUser', admin)]
  const fresh = files.filter((it) => it.status === 'PROCESSING' && it.settles_as === 'COMPLETED')
  return fresh.sort((a, b) => String(a.settles_at).localeCompare(String(b.settles_at)))[0]?.id as string
}

async function read({ call }: Opened, file: string): Promise<string> {
  return (await call('GET', `/api/user/projects/file/${file}`)).body.status
}
