import type { Option } from 'commander'
import { connectionDefaults } from '../http/connection-limits.js'
import { notNegative, option, positiveNumber } from './options.js'

/** What one connection may ask of `serve`. */
export function connectionOptions(): Option[] {
  const { maxHeaderBytes, maxHeaders, maxConnections, maxUnanswered, ...rest } = connectionDefaults
  const number = (flags: string, what: string, value: number) =>
    option(`${flags} <number>`, what).argParser(positiveNumber).default(value)
  const seconds = (flags: string, what: string, value: number) =>
    option(`${flags} <seconds>`, what).argParser(notNegative).default(value)
  return [
    number('--max-header-bytes', "bytes of a request's line and headers", maxHeaderBytes),
    number('--max-headers', 'headers of a request', maxHeaders),
    number('--max-connections', 'connections at once', maxConnections),
    number(
      '--max-unanswered',
      'requests of one connection that are in progress at once; those that follow wait for their turn',
      maxUnanswered
    ),
    seconds('--headers-timeout', 'the time that the headers of a request may take; 0: any', rest.headersTimeout),
    seconds('--request-timeout', 'the time that a request may take to come; 0: any', rest.requestTimeout),
    seconds('--keep-alive-timeout', 'the time that an idle connection is kept', rest.keepAliveTimeout),
    number('--linger-bytes', 'bytes that are still read of what was refused', rest.lingerBytes),
    seconds('--linger-timeout', 'the time that they may take', rest.lingerTimeout)
  ]
}
