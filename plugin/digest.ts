/** A digest's scopes, some at once. What is digested and how is the core's; here it is driven, and a model of one's own is asked. */
import type { CommandReply, LlmGenerate, Typed } from '../dist/core.js'
import { command, type Commanded } from './command.ts'
import { coded, send } from './http.ts'

/** Scopes that are digested at once. Source: the issue on devices, procedures and digest. */
const SCOPES_MAX = 4

/** Runs `work` for each of `scopes`, at most four at a time, in their order. Rejects with the first failure, once what runs has ended. */
export async function scopeByScope<T>(scopes: readonly string[], work: (scope: string) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < scopes.length; at = next++) results[at] = await work(scopes[at] ?? '')
  }
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(SCOPES_MAX, scopes.length) }, lane))
  const failed = lanes.find(settled => settled.status === 'rejected')
  if (failed) throw failed.reason
  return results
}

/** Digests what a command line or `/memory digest` is about. Rejects where there is no core to answer, and on `signal`. */
export async function digest(core: Commanded, typed: Typed, signal?: AbortSignal): Promise<CommandReply> {
  const step = async (name: string, scope = ''): Promise<CommandReply> =>
    await command(core, { ...typed, options: { ...typed.options, step: name, scope } }, signal)
  const due = await step('due')
  if (!due.ok) return due
  await scopeByScope(due.data.scopes as string[], async scope => await step('scope', scope))
  return await step('status')
}

/** An OpenAI-compatible service that a person names. */
export interface Service { url: string, model: string, key: string | undefined }
interface Completion { choices?: { message?: { content?: unknown } }[], usage?: { prompt_tokens?: number, completion_tokens?: number } }
/** Longest text that is taken. */
const TEXT_MAX = 1 << 16

/** Makes one call of such a service. Rejects with a `code` that the core knows. */
export async function complete({ url, model, key }: Service, { system, prompt, maxTokens, timeoutMs }: LlmGenerate, signal: AbortSignal | undefined): Promise<{ text: string, model: string, inputTokens: number, outputTokens: number }> {
  const messages = [{ role: 'system', content: system }, { role: 'user', content: prompt }]
  const body = new TextEncoder().encode(JSON.stringify({ model, messages, max_tokens: maxTokens, temperature: 0 }))
  const request = { op: 'http.send' as const, method: 'POST', url: `${url.replace(/\/+$/, '')}/chat/completions`, headers: {}, body, credential: '', timeoutMs }
  const reply = await send(request, key, signal)
  const text = new TextDecoder().decode(reply.body)
  if (reply.status !== 200) throw coded('FAILED', `the service answered ${reply.status}: ${text.slice(0, 160)}`)
  let answer: Completion | null
  try { answer = JSON.parse(text) as Completion | null } catch { throw coded('FAILED', 'what answered is no such service: its answer is no JSON') }
  const { choices, usage } = answer ?? {}
  const content = choices?.[0]?.message?.content
  if (typeof content !== 'string') throw coded('FAILED', 'the answer holds no text')
  if (content.length > TEXT_MAX) throw coded('TOO_LONG', `the answer is over ${TEXT_MAX} characters`)
  return { text: content, model, inputTokens: usage?.prompt_tokens ?? 0, outputTokens: usage?.completion_tokens ?? 0 }
}
