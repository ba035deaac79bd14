import { matchers } from 'knowledge-chat-mock/matchers'
import { expect } from 'vitest'

expect.extend(matchers)
