import { useState } from 'react'
import { call, useAction, useApi } from './api.js'

export function Projects() {
  const { data: projects = [] } = useApi('/api/user/projects/')
  const [chosen, setChosen] = useState()
  const { data: details } = useApi(chosen && `/api/user/projects/${chosen}/details`)
  const [said, run] = useAction()
  const upload = ({ target }) =>
    run(async () => {
      const body = new FormData()
      for (const file of target.files) body.append('files', file)
      const { file_names } = await call('POST', '/api/manage/admin/connector/file/upload', body)
      return `Uploaded ${file_names.join(', ')}`
    })
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">Projects</h2>
      <ul>
        {projects.map(({ id, name }) => (
          <li key={id}>
            <button type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {details && (
        <ul aria-label={`Files of ${details.project.name}`}>
          {details.files.map(({ id, name, status }) => (
            <li key={id}>
              {name}: {status}
            </li>
          ))}
        </ul>
      )}
      <label>
        Index a file <input type="file" multiple onChange={upload} />
      </label>
      <p role="status">{said}</p>
    </section>
  )
}
