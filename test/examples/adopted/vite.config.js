import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// With MOCK=worker the page registers the mock's worker. Otherwise the server passes its requests to a mock.
const { MOCK, MOCK_URL = 'http://127.0.0.1:4010' } = process.env
const proxy = MOCK === 'worker' ? {} : { '/api': MOCK_URL, '/__mock': MOCK_URL }

export default defineConfig({
  plugins: [react()],
  define: { 'import.meta.env.VITE_MOCK': JSON.stringify(MOCK ?? '') },
  server: { proxy },
  preview: { proxy }
})
