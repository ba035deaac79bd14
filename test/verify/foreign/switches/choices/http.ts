import type { Switches } from '../switch.js'

/** How the service speaks HTTP. */
export const http = {
  'any-slash': { says: 'A slash at the end of a path makes no difference.' },
  'slash-307': { says: 'A path with another end is redirected, by 307.' },
  'no-head': { says: 'HEAD is not answered.' },
  'options-204': { says: 'OPTIONS is answered with 204, for other origins.' },
  'method-405': { says: 'Another method is answered with 405 and Allow.' },
  'method-400': { says: 'Another method is answered with 400.' },
  'nowhere-html': { says: 'Unknown paths are answered in HTML.' },
  slow: { says: 'Every answer takes 30 ms.' },
  limited: { says: 'Every 25th request is answered with 429.' },
  'limited-by-rate': { says: 'More than 60 requests a second are answered with 429.' },
  'busy-once': { says: 'The fortieth request is answered with 503.' },
  chunked: { says: 'Bodies come in chunks.' },
  gzip: { says: 'Bodies are compressed for those who take that.' },
  closes: { says: 'Every connection is closed after one answer.' },
  pretty: { says: 'JSON is indented.' },
  escaped: { says: 'JSON is ASCII.' },
  'large-413': { says: 'Bodies of more than 64 kB are answered with 413.' },
  'long-414': { says: 'Paths of more than 300 characters are answered with 414.' },
  'clock-ahead': { says: 'Its clock is an hour ahead.' },
  'clock-behind': { says: 'Its clock is a day behind.' }
} as const satisfies Switches
