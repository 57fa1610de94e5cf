/**
 * A model server of our own on loopback, in the shape the host's DeepSeek adapter expects: streaming chat completions.
 *
 * A test says what the model does for a human text (`when`), runs the host, and reads what the model really received
 * (`requests`). Nothing here knows about memory.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One thing the model does: calls tools, says a text, fails, or stops at its output limit. */
export interface Step {
  calls?: { name: string, args: unknown }[]
  text?: string
  /** HTTP status of a refused request. */
  status?: number
  /** Waits this long before the first byte. */
  delayMs?: number
  /** Ends with the finish reason `length`. */
  cut?: boolean
}

export interface Message { role: string, content: string, toolCallId?: string }

/** A request as the model received it. */
export interface ModelRequest {
  id: number
  sessionId: string
  model: string
  messages: Message[]
  tools: string[]
  /** The newest text a human or a parent agent sent. */
  human: string
  /** The newest runtime-context snapshot, or an empty string. */
  context: string
  /** True for the host's own request for a session title. */
  title: boolean
  /** True for a request of a plugin's own: it offers no tools and wants no title. */
  aside: boolean
  /** Whether the model was told to think. */
  thinking: boolean
}

/** Requests kept in memory; older ones are dropped. */
const LOG_MAX = 2_000

const isSnapshot = (text: string): boolean => text.startsWith('Current runtime context')
const isHuman = (message: Message): boolean => message.role === 'user' && !isSnapshot(message.content) && !message.content.startsWith('<')

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { type?: string, text?: string }) => part.type === 'text' ? part.text ?? '' : '').join('\n')
}

export class Model {
  readonly requests: ModelRequest[] = []
  readonly #rules: { match: string | RegExp, steps: Step[] }[] = []
  readonly #asides: { match: string, step: Step }[] = []
  readonly #server: Server
  #served = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    })
  }

  static async start(): Promise<Model> {
    const model = new Model()
    await new Promise<void>((done, fail) => {
      model.#server.once('error', fail)
      model.#server.listen(0, '127.0.0.1', () => { done() })
    })
    return model
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Plays `steps`, one a request, in turns whose human text holds `match`. The newest rule that matches wins. */
  when(match: string | RegExp, ...steps: Step[]): void {
    this.#rules.unshift({ match, steps })
  }

  /** Plays `step` for a plugin's own request whose prompt holds `match`. The newest that matches wins; without one the prompt is repeated. */
  whenAside(match: string, step: Step): void {
    this.#asides.unshift({ match, step })
  }

  /** Requests of a plugin's own. */
  asides(): ModelRequest[] { return this.requests.filter(({ aside }) => aside) }

  /** Requests of agent turns; those for a title and of a plugin's own are left out. */
  turns(sessionId?: string): ModelRequest[] {
    return this.requests.filter(request => !request.title && !request.aside && (sessionId === undefined || request.sessionId === sessionId))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(done => { this.#server.close(() => { done() }) })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      model: string, messages: { role: string, content: unknown, tool_call_id?: string }[], tools?: { function: { name: string } }[], thinking?: { type?: string }
    }
    const messages = body.messages.map(({ role, content, tool_call_id }) =>
      ({ role, content: textOf(content), ...(tool_call_id === undefined ? {} : { toolCallId: tool_call_id }) }))
    const from = messages.findLastIndex(isHuman)
    const seen: ModelRequest = {
      id: ++this.#served,
      sessionId: String(request.headers['x-deepseek-harness-session-id'] ?? ''),
      model: body.model,
      messages,
      tools: (body.tools ?? []).map(tool => tool.function.name),
      human: messages[from]?.content ?? '',
      context: messages.findLast(message => isSnapshot(message.content))?.content ?? '',
      title: body.tools === undefined && messages.some(({ role, content }) => role === 'system' && /title/i.test(content)),
      aside: false,
      thinking: body.thinking?.type !== 'disabled',
    }
    seen.aside = body.tools === undefined && !seen.title
    this.requests.push(seen)
    if (this.requests.length > LOG_MAX) this.requests.shift()
    const done = messages.slice(from + 1).filter(message => message.role === 'assistant').length
    const aside = this.#asides.find(({ match }) => seen.human.includes(match))?.step ?? { text: seen.human }
    const step = seen.title ? { text: 'A title' } : seen.aside ? aside : this.#step(seen.human, done) ?? { text: `reply to: ${seen.human.slice(0, 200)}` }
    if (step.delayMs !== undefined) await new Promise(resolve => setTimeout(resolve, step.delayMs))
    if (step.status === undefined) stream(response, seen, step)
    else response.writeHead(step.status, { 'content-type': 'application/json' }).end('{"error":{"message":"scripted failure","type":"fake","code":"fake"}}')
  }

  #step(human: string, done: number): Step | undefined {
    return this.#rules.find(({ match }) => typeof match === 'string' ? human.includes(match) : match.test(human))?.steps[done]
  }
}

function stream(response: ServerResponse, request: ModelRequest, step: Step): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: unknown, finish: string | null = null): void => {
    response.write(`data: ${JSON.stringify({
      id: `c${request.id}`, object: 'chat.completion.chunk', created: 1, model: request.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(finish === null ? {} : { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
    })}\n\n`)
  }
  send({ role: 'assistant', content: '' })
  if (step.text !== undefined) send({ content: step.text })
  for (const [index, { name, args }] of (step.calls ?? []).entries()) {
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    send({ tool_calls: [{ index, id: `call_${request.id}_${index}`, type: 'function', function: { name, arguments: text } }] })
  }
  send({}, step.calls ? 'tool_calls' : step.cut ? 'length' : 'stop')
  response.end('data: [DONE]\n\n')
}
