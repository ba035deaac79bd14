import { useEffect, useState } from 'react'
import { call, get } from './api.js'

export function Upload() {
  const [file, setFile] = useState()

  // Asks once a second, until the file is ready.
  useEffect(() => {
    if (file?.status !== 'PROCESSING') return
    const timer = setTimeout(async () => setFile(await get(`/api/user/projects/file/${file.id}`)), 1000)
    return () => clearTimeout(timer)
  }, [file])

  const upload = async ({ target }) => {
    const body = new FormData()
    body.append('file', target.files[0])
    const response = await call('POST', '/api/user/projects/file/upload', body)
    setFile(await response.json())
  }

  return (
    <section aria-label="Files">
      <label>
        Add a file <input type="file" onChange={upload} />
      </label>
      <p role="status">{file && `${file.name}: ${file.status}`}</p>
    </section>
  )
}
