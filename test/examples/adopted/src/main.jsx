import { createRoot } from 'react-dom/client'
import { App } from './App.jsx'

// A mock in a service worker answers before the first request.
if (import.meta.env.VITE_MOCK === 'worker') {
  const { register } = await import('knowledge-chat-mock/service-worker')
  await register('/mock-worker.js')
}
createRoot(document.getElementById('root')).render(<App />)
