/** The `Http` port on `fetch`. The key is attached here, at the moment of sending, and taken out of whatever comes back. */
import type { HttpSend } from '../dist/core.js'
import { messageOf } from './calls.ts'

/** Longest body that is read. */
const BODY_MAX_BYTES = 4 * 1024 * 1024
/** What the core wants to know of a reply's head. */
const HEADERS = ['retry-after-ms', 'retry-after', 'x-typesafe-request-id']

export interface Reply { status: number, headers: [string, string][], body: Uint8Array }

/** An error with the code that the core knows. */
export const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code })

/**
 * Sends a request. What `signal` or the request's own limit ends is aborted, not left running.
 *
 * @throws with code `TIMEOUT`, `ENDED` or `TRANSPORT`.
 */
export async function send(request: HttpSend, key: string | undefined, signal: AbortSignal | undefined): Promise<Reply> {
  const limit = AbortSignal.timeout(request.timeoutMs)
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: {
        'content-type': 'application/json', accept: 'application/json',
        ...request.headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: new Uint8Array(request.body),
      // A redirect would carry the key to wherever it points.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const headers = HEADERS.flatMap((name): [string, string][] => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, without(key, value)]]
    })
    return { status: response.status, headers, body: cleaned(key, await bodyOf(response)) }
  } catch (error) {
    if (signal?.aborted) throw coded('ENDED')
    if (limit.aborted) throw coded('TIMEOUT')
    // An address may hold a password of its own.
    throw coded('TRANSPORT', without(key, messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)).replaceAll(request.url, '[address]'))
  }
}

async function bodyOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).length
    // Leaving the loop cancels the rest.
    if (length > BODY_MAX_BYTES) throw new Error(`the reply is over ${BODY_MAX_BYTES} bytes`)
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks)
}

/** A server that repeats the key must not bring it into the ledger. */
const without = (key: string | undefined, text: string): string => key === undefined ? text : text.replaceAll(key, '[key]')

function cleaned(key: string | undefined, body: Uint8Array): Uint8Array {
  if (key === undefined || !Buffer.from(body).includes(key)) return body
  return new TextEncoder().encode(without(key, new TextDecoder().decode(body)))
}
