/**
 * A server of Jev's shape on loopback. Its answers come from a hash of state, instructions and option, never of ids,
 * order or count; `jevcompat test` proves it (`peers.test.ts`). A test scripts faults, and reads what was asked.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Text = string | object
interface Question { type?: unknown, instructions?: unknown, criteria?: unknown }
export interface Asked { model: string, state: Text, questions: Record<string, Question> }

/** One thing the server does in place of its answer. */
export interface Fault {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Waits this long before the first byte. */
  delayMs?: number
  /** Sends the head and half of the body, then nothing more. */
  stalls?: boolean
  /** Drops the connection without a reply. */
  drops?: boolean
}

const MODELS = ['jev-latest', 'jev-preview', 'jev-1.13.0']
const isText = (value: unknown): value is Text => typeof value === 'string' || (typeof value === 'object' && value !== null)
const round = (x: number): number => Math.round(x * 100) / 100

interface Item { loc: (string | number)[], msg: string, type: string }

export class JevServer {
  /** What was asked, oldest first. */
  readonly asked: Asked[] = []
  /** Heads of the requests, names in lower case. */
  readonly heads: IncomingMessage['headers'][] = []
  /** Requests being answered now, and the most at once so far. */
  open = 0
  mostOpen = 0
  /** Faults that are played, one a request, before answers resume; `always` stays. */
  faults: Fault[] = []
  always: Fault | undefined
  /** What every noul is; a hash decides where this is undefined. */
  noul: number | undefined
  readonly #key: string | undefined
  readonly #server: Server

  private constructor(key: string | undefined) {
    this.#key = key
    this.#server = createServer((request, response) => {
      this.open += 1
      this.mostOpen = Math.max(this.mostOpen, this.open)
      response.once('close', () => { this.open -= 1 })
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    })
  }

  static async start(key?: string): Promise<JevServer> {
    const server = new JevServer(key)
    await new Promise<void>((done, fail) => {
      server.#server.once('error', fail)
      server.#server.listen(0, '127.0.0.1', () => { done() })
    })
    return server
  }

  get url(): string { return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(done => { this.#server.close(() => { done() }) })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    this.heads.push(request.headers)
    const refused = this.#refused(request)
    if (refused) { reply(response, ...refused); return }
    if (request.method === 'GET') {
      reply(response, 200, { models: MODELS.map(name => ({ name, description: 'a stub', release_date: '2026-09-15' })) })
      return
    }
    const fault = this.faults.shift() ?? this.always
    let asked: unknown
    try { asked = JSON.parse(text) } catch { reply(response, 400, usageError('Request contains invalid JSON.')); return }
    const wrong = problem(asked)
    if (!wrong) this.asked.push(asked as Asked)
    if (fault?.delayMs !== undefined) await new Promise(done => setTimeout(done, fault.delayMs))
    if (fault?.drops) { response.destroy(); return }
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, { 'x-typesafe-request-id': 'req_stub', ...fault.headers }).end(fault.body ?? '')
      return
    }
    if (wrong) { reply(response, ...wrong); return }
    const body = fault?.body ?? JSON.stringify(this.#answer(asked as Asked))
    if (fault?.stalls) { response.writeHead(200, { 'content-type': 'application/json' }).write(body.slice(0, body.length / 2)); return }
    response.writeHead(200, { 'content-type': 'application/json', 'x-typesafe-request-id': 'req_stub', ...fault?.headers }).end(body)
  }

  #refused({ method, url, headers }: IncomingMessage): [number, object] | undefined {
    const path = new URL(url ?? '/', 'http://x').pathname
    if (path !== '/v1/systemone' && path !== '/v1/models') return [404, { detail: 'Not Found' }]
    if (method !== (path === '/v1/models' ? 'GET' : 'POST')) return [405, { detail: 'Method Not Allowed' }]
    if (this.#key === undefined) return undefined
    const auth = (message: string): object => ({ detail: { error_type: 'authentication_error', message } })
    if (!headers.authorization?.startsWith('Bearer ')) return [403, auth('Must supply an API key!')]
    return headers.authorization === `Bearer ${this.#key}` ? undefined : [401, auth('Cannot authenticate with the server.')]
  }

  #answer({ state, questions }: Asked): object {
    const answers = Object.entries(questions).map(([id, question]) => [id, this.#one(state, question)])
    const bytes = JSON.stringify({ state, questions }).length
    return {
      model: 'jev-1.13.0',
      answers: Object.fromEntries(answers) as object,
      usage: { input_tokens: 270 + Math.ceil(bytes / 4), output_tokens: 10 * answers.length },
    }
  }

  #one(state: Text, { type, instructions, criteria }: Question): object {
    const weight = (...parts: unknown[]): number =>
      createHash('sha256').update(JSON.stringify([state, instructions ?? null, ...parts])).digest().readUInt32BE() / 2 ** 32
    if (type === 'noul') return { type, noul: this.noul ?? round(weight(criteria ?? null)) }
    const options = Array.isArray(criteria) ? criteria.map((level: unknown, at): [string, unknown] => [String(at), level]) : Object.entries(criteria as object)
    const raw = options.map(([name, means]) => Math.exp(4 * weight(name, means)))
    const sum = raw.reduce((a, b) => a + b, 0)
    const p = raw.map(x => x / sum)
    // Sorted by name: a client that looks by order instead of by name is found out.
    const probabilities = Object.fromEntries(options.map(([name], at) => [name, p[at] ?? 0] as const).sort(([a], [b]) => a < b ? -1 : 1))
    const most = Math.max(...p)
    const n = p.length
    if (type === 'choice') {
      return { type, choice: options[p.indexOf(most)]?.[0], confidence: n === 1 ? 1 : (most - 1 / n) / (1 - 1 / n), probabilities }
    }
    const peak = p.indexOf(most)
    const spread = p.reduce((total, x, at) => total + x * Math.abs(at - peak), 0)
    const even = p.reduce((total, _, at) => total + Math.abs(at - (n - 1) / 2), 0) / n
    return {
      type, score: p.reduce((total, x, at) => total + x * at, 0), confidence: n === 1 ? 1 : Math.max(0, 1 - spread / even),
      legend: Object.fromEntries(options), probabilities,
    }
  }
}

const usageError = (message: string): object => ({ detail: { error_type: 'api_usage_error', message } })

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-typesafe-request-id': 'req_stub' }).end(JSON.stringify(body))
}

/** What is wrong with a request, in the order of the service. */
function problem(asked: unknown): [number, object] | undefined {
  const items: Item[] = []
  const add = (loc: (string | number)[], msg: string, type: string): void => { items.push({ loc: ['body', ...loc], msg, type }) }
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return [422, { detail: [{ loc: ['body'], msg: 'Input should be an object', type: 'dict_type' }] }]
  const { state, model, questions } = asked as Record<string, unknown>
  if (state === undefined) add(['state'], 'Field required', 'missing')
  else if (!isText(state)) add(['state'], 'Input should be a valid string, object or array', 'union_type')
  if (typeof model !== 'string') add(['model'], model === undefined ? 'Field required' : 'Input should be a valid string', model === undefined ? 'missing' : 'string_type')
  const list = typeof questions === 'object' && questions !== null && !Array.isArray(questions) ? Object.entries(questions as Record<string, Question>) : undefined
  if (!list) add(['questions'], 'Input should be a valid dictionary', 'dict_type')
  else if (list.length === 0) add(['questions'], 'Dictionary should have at least 1 item', 'too_short')
  let count: [number, object] | undefined
  for (const [id, question] of list ?? []) count ??= check(id, question, add)
  if (items.length > 0) return [422, { detail: items }]
  if (!MODELS.includes(String(model))) return [400, usageError(`Unknown model: ${String(model)}`)]
  return count
}

function check(id: string, question: Question | null, add: (loc: (string | number)[], msg: string, type: string) => void): [number, object] | undefined {
  if (typeof question !== 'object' || question === null || question.type === undefined) { add(['questions', id], 'Unable to extract tag', 'union_tag_not_found'); return undefined }
  const { type, instructions, criteria } = question
  const at = ['questions', id, typeof type === 'string' ? type : '']
  if (instructions !== undefined && instructions !== null && !isText(instructions)) add([...at, 'instructions'], 'Input should be text', 'string_type')
  const described = (value: unknown): boolean => value === null || isText(value)
  switch (type) {
    case 'noul':
      if (criteria !== undefined && criteria !== null && (typeof criteria !== 'object' || Array.isArray(criteria) || Object.keys(criteria).some(key => key !== 'true' && key !== 'false') || !Object.values(criteria).every(described))) add([...at, 'criteria'], 'Input should be an object with true and false', 'model_type')
      return undefined
    case 'choice': {
      if (typeof criteria !== 'object' || criteria === null || Array.isArray(criteria)) { add([...at, 'criteria'], 'Input should be a valid dictionary', 'dict_type'); return undefined }
      if (!Object.values(criteria).every(described)) add([...at, 'criteria'], 'Input should be text', 'string_type')
      const n = Object.keys(criteria).length
      if (n === 0) return [400, { detail: `Choice question must have at least one choice: ${id}` }]
      return n > 255 ? [400, { detail: 'Too many choices. Must have at most 255 choices.' }] : undefined
    }
    case 'score':
      if (!Array.isArray(criteria) || criteria.length === 0 || !criteria.every(isText)) { add([...at, 'criteria'], 'Input should be a valid list', 'list_type'); return undefined }
      return criteria.length > 10 ? [400, { detail: 'Too many score levels. Must have at most 10 levels.' }] : undefined
    default: return [400, usageError('Invalid request.')]
  }
}
