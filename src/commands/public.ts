import type { Option } from 'commander'
import { option, wholeNumber } from './options.js'

/** What `serve` needs before others than its owner. */
export function publicOptions(): Option[] {
  return [
    option('--public', 'for anybody: a sandbox per visitor, limits, no secrets, the control API with its token only'),
    option('--cookie-secret <text>', 'signs the cookies of visitors (default: made at the start)'),
    option('--rate-limit <number>', 'requests a minute per visitor; 0: any (default: 0; 300 with --public)').argParser(
      wholeNumber
    ),
    option('--trust-proxy <number>', 'proxies before the mock that say who asks (X-Forwarded-For)')
      .argParser(wholeNumber)
      .default(0),
    option('--reset-every <duration>', 'all starts anew after so long, such as 24h (default: never)')
  ]
}
