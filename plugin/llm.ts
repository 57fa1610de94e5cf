/** The `Llm` port on the host's own model: one call, without thinking and without tools. */
import type { GenerateOptions, StreamChunk } from '@deepseek-ai/dsh-llm'
import type { LlmGenerate } from '../dist/core.js'
import { codeOf, messageOf } from './calls.ts'
import { coded } from './http.ts'

/** Longest text that is taken. */
const TEXT_MAX = 1 << 16

export interface Route { provider: string, model: string }
export interface Said { text: string, model: string, inputTokens: number, outputTokens: number }
/** The part of the host's service that is used. */
export interface Service { stream(options: GenerateOptions): AsyncIterable<StreamChunk> }

/**
 * Makes the call. What `signal` or the request's own limit ends is aborted, not left running.
 *
 * @throws with code `NO_ROUTE`, `TIMEOUT`, `ENDED`, or the provider's.
 */
export async function generate(service: Service | undefined, route: Route | undefined, request: LlmGenerate, signal: AbortSignal | undefined): Promise<Said> {
  if (!service || !route) throw coded('NO_ROUTE')
  const limit = AbortSignal.timeout(request.timeoutMs)
  const both = signal ? AbortSignal.any([signal, limit]) : limit
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => { reject(coded(signal?.aborted ? 'ENDED' : 'TIMEOUT')) }
  if (both.aborted) end(); else both.addEventListener('abort', end, { once: true })
  const work = collect(service, route, request, both)
  work.catch(() => {}) // An adapter that heeds no signal may fail after the wait is over.
  // Nor may it hold up the turn.
  try { return await Promise.race([work, ended]) } catch (error) {
    if (signal?.aborted) throw coded('ENDED')
    if (limit.aborted) throw coded('TIMEOUT')
    throw coded(codeOf(error) || 'FAILED', messageOf(error))
  } finally { both.removeEventListener('abort', end) }
}

async function collect(service: Service, { provider, model }: Route, request: LlmGenerate, signal: AbortSignal): Promise<Said> {
  const said: Said = { text: '', model: `${provider}/${model}`, inputTokens: 0, outputTokens: 0 }
  const message = { id: crypto.randomUUID(), role: 'user', content: [{ type: 'text', text: request.prompt }], source: { kind: 'plugin', plugin: 'jev-memory' } }
  const options = {
    provider, model, system: request.system, messages: [message], maxTokens: request.maxTokens, temperature: 0, reasoningEffort: 'off', signal,
  } as unknown as GenerateOptions
  for await (const chunk of service.stream(options)) {
    if (chunk.type === 'text-delta') said.text += chunk.text
    if (said.text.length > TEXT_MAX) throw coded('TOO_LONG', `the answer is over ${TEXT_MAX} characters`)
    if (chunk.type === 'usage') {
      said.inputTokens = chunk.usage.inputTokens
      said.outputTokens = chunk.usage.outputTokens
    }
    if (chunk.type !== 'finish') continue
    const { reason } = chunk
    if (reason.kind === 'error' || reason.kind === 'aborted') throw coded(reason.failure.code, reason.failure.message)
    if (reason.kind === 'max-tokens') throw coded('MAX_TOKENS', 'the answer was cut at its limit')
  }
  return said
}
