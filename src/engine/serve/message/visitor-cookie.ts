import { createHmac, randomBytes } from 'node:crypto'
import { once } from '../../contract/once.js'
import { isSecret } from './caller.js'

/** The cookie that brings a visitor back to the same sandbox. It is signed, so no one can forge another's. */
export interface VisitorCookie {
  /** The sandbox in a Cookie header. Undefined if there is none or its signature is wrong. */
  read(header: string | undefined, isSecure: boolean): string | undefined
  /** The Set-Cookie header for a sandbox. Scripts cannot read the cookie, and other sites do not send it. */
  write(sandbox: string, isSecure: boolean): string
}

export function createVisitorCookie(key?: string): VisitorCookie {
  // Created when it is first needed, because workers refuse random values while they load.
  const secret = once(() => key ?? randomBytes(32).toString('base64url'))
  const sign = (sandbox: string) => createHmac('sha256', secret()).update(sandbox).digest('base64url')
  return {
    read(header, isSecure) {
      const match = new RegExp(`(?:^|;\\s*)${nameOf(isSecure)}=([\\w-]{1,64})\\.([\\w-]+)(?:\\s*;|\\s*$)`).exec(
        header ?? ''
      )
      if (!match) return undefined
      const [, sandbox, signature] = match as unknown as [string, string, string]
      return isSecret(signature, sign(sandbox)) ? sandbox : undefined
    },
    write(sandbox, isSecure) {
      const value = `${nameOf(isSecure)}=${sandbox}.${sign(sandbox)}`
      return `${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
    }
  }
}

/** Whether a cookie of this name would be read as a visitor's. */
export function isVisitorCookie(name: string): boolean {
  return name === nameOf(true) || name === nameOf(false)
}

/** The prefix ties the cookie to this host. Browsers accept it only over TLS (RFC 6265bis, 4.1.3.2). */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-kcm-visitor' : 'kcm-visitor'
}

/** A sandbox name that cannot be guessed. */
export function newVisitor(): string {
  return `visitor-${randomBytes(16).toString('base64url')}`
}
