import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The page and the API have one origin, so the cookie of the sign-in is the page's own.
const mock = process.env.MOCK_URL ?? 'http://127.0.0.1:4010'
const proxy = { '/api': mock, '/auth': mock, '/__mock': mock }

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } })
