'use client'

import { App } from '../../../front-end/src/App.jsx'

export default App
