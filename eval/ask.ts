// Asks a judge that reads about a corpus file, through the core's own questions and its own reading of the answers.

import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { rows, type Predict } from './core.ts'

export type Judge = 'jev' | 'host'

export interface Service {
  judge: Judge
  /** `host`: the root of an OpenAI-shaped service, `/chat/completions` is added. `jev`: a whole address. */
  url: string
  /** The model of an OpenAI-shaped service. */
  model: string
  key: string | undefined
  /** File to which each request and its answer are added. */
  record?: string
  /** File from which answers are taken in place of asking. */
  replay?: string
  /** Other wordings by question, `remember`, `type` or `contradicts`, for a comparison. */
  wording?: Record<string, string>
}

/** What was asked and answered in all. */
export interface Cost { requests: number, failed: number, inputTokens: number, outputTokens: number }

interface Request { batch: number, system?: string, prompt?: string, maxTokens?: number, body?: string, fault?: string }
interface Answer { text: string, inputTokens: number, outputTokens: number }

/** Requests under way at once. Source: the same bound as in the plugin. */
const LANES = 4
const REQUEST_MAX_MS = 60_000
export const JEV_URL = 'https://api.typesafe.ai/v1/systemone'

/** Returns predictions as lines, and what they cost. A request that fails leaves its sentences to the offline judge, with the reason. */
export async function judged(predict: Predict, input: string, service: Service): Promise<{ predictions: string, cost: Cost }> {
  const requests = rows<Request>(predict(`${service.judge}-requests`, input))
  const known = replayed(service.replay)
  const answers: string[] = []
  const cost: Cost = { requests: 0, failed: 0, inputTokens: 0, outputTokens: 0 }
  const queue = [...requests]
  const lane = async (): Promise<void> => {
    for (let request = queue.shift(); request; request = queue.shift()) {
      const sent = request.fault === undefined ? wire(request, service) : undefined
      if (!sent) continue
      const key = createHash('sha256').update(sent).digest('hex')
      try {
        const answer = known?.get(key) ?? (known ? undefined : await ask(sent, service))
        if (!answer) throw new Error('not in the recording')
        cost.requests += 1
        cost.inputTokens += answer.inputTokens
        cost.outputTokens += answer.outputTokens
        if (service.record !== undefined) appendFileSync(service.record, `${JSON.stringify({ key, request: JSON.parse(sent) as unknown, answer })}\n`)
        answers.push(JSON.stringify({ batch: request.batch, text: answer.text }))
      } catch (error) {
        cost.failed += 1
        process.stderr.write(`request ${request.batch}: ${error instanceof Error ? error.message : String(error)}\n`)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return { predictions: predict(`${service.judge}-write`, input, answers.join('\n')), cost }
}

/** The bytes that are sent. */
function wire(request: Request, { judge, model, wording }: Service): string {
  if (judge === 'host') {
    const messages = [{ role: 'system', content: request.system }, { role: 'user', content: request.prompt }]
    return JSON.stringify({ model, messages, max_tokens: request.maxTokens, temperature: 0 })
  }
  if (!wording) return request.body ?? ''
  const body = JSON.parse(request.body ?? '{}') as { questions: Record<string, { instructions: { question: string } }> }
  for (const [id, { instructions }] of Object.entries(body.questions)) instructions.question = wording[id.slice(id.indexOf('_') + 1)] ?? instructions.question
  return JSON.stringify(body)
}

async function ask(sent: string, { judge, url, key }: Service): Promise<Answer> {
  const response = await fetch(judge === 'host' ? `${url.replace(/\/$/, '')}/chat/completions` : url, {
    method: 'POST', body: sent, redirect: 'error', signal: AbortSignal.timeout(REQUEST_MAX_MS),
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`status ${response.status}: ${text.slice(0, 200)}`)
  const reply = JSON.parse(text) as { choices?: { message?: { content?: string } }[], usage?: Record<string, number> }
  const usage = (names: string[]): number => names.map(name => reply.usage?.[name]).find(count => count !== undefined) ?? 0
  return {
    text: judge === 'host' ? reply.choices?.[0]?.message?.content ?? '' : text,
    inputTokens: usage(['prompt_tokens', 'input_tokens']),
    outputTokens: usage(['completion_tokens', 'output_tokens']),
  }
}

function replayed(path: string | undefined): Map<string, Answer> | undefined {
  if (path === undefined) return undefined
  if (!existsSync(path)) throw new Error(`there is no recording at ${path}`)
  return new Map(rows<{ key: string, answer: Answer }>(readFileSync(path, 'utf8')).map(({ key, answer }) => [key, answer]))
}

/** Reads the options that name a service; undefined when there is no key and nothing to replay. */
export function serviceOf(judge: Judge, option: (name: string) => string | undefined): Service | undefined {
  const key = process.env[judge === 'jev' ? 'TYPESAFE_API_KEY' : 'LLM_API_KEY']
  const url = option('llm') ?? option('endpoint') ?? (judge === 'jev' ? JEV_URL : undefined)
  const replay = option('replay')
  const record = option('record')
  const wording = option('wording')
  if (replay === undefined && (url === undefined || (judge === 'jev' && key === undefined && option('endpoint') === undefined))) return undefined
  return {
    judge, url: url ?? '', key, model: option('model') ?? 'default',
    ...(record === undefined ? {} : { record }), ...(replay === undefined ? {} : { replay }),
    ...(wording === undefined ? {} : { wording: JSON.parse(readFileSync(wording, 'utf8')) as Record<string, string> }),
  }
}

/** Returns a reader of `--name value` options. */
export const optionsOf = (args: string[]) => (name: string): string | undefined => {
  const at = args.indexOf(`--${name}`)
  return at < 0 ? undefined : args[at + 1]
}
