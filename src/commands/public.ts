import type { Option } from 'commander'
import { option, wholeNumber } from './options.js'

/** What `serve` needs before others than its owner. */
export function publicOptions(): Option[] {
  return [
    option('--public', 'for anybody: a sandbox per visitor, limits, no secrets, the control API with its token only'),
    option('--cookie-secret <text>', 'signs the cookies of visitors (default: made at the start)'),
    option(
      '--rate-limit <number>',
      'requests a minute per visitor; 0: no limit (default: 0; 300 with --public)'
    ).argParser(wholeNumber),
    option('--trust-proxy <number>', 'how many proxies stand before the mock, whose X-Forwarded-For is trusted')
      .argParser(wholeNumber)
      .default(0),
    option('--reset-every <duration>', 'reset everything after this time, such as 24h (default: never)')
  ]
}
