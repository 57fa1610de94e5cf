/** The real web host, driven over its own HTTP and WebSocket interface as a browser would. */
import type { ChildProcess } from 'node:child_process'
import { atEnd, watch, within, type Ended, type Home, type Scope } from './home.ts'

/** An event of a session's log, as the browser gets it. */
export interface LogEvent { type: string, seq: number, data: Record<string, unknown> }

/** A question card. */
export interface Card { rpcId: string, sessionId: string, questions: { id: string, question: string, detail?: string, options?: { label: string }[] }[] }

interface Frame { rpcId: string, payload: { type: string, sessionId?: string, event?: LogEvent, running?: boolean, questions?: Card['questions'], origin?: string } }

const LIMIT_MS = 30_000

export class Web {
  /** Events of each session, in the order they came. Streamed chunks are left out. */
  readonly events = new Map<string, LogEvent[]>()
  /** Cards that wait for an answer, oldest first. */
  readonly cards: Card[] = []
  /** Ids of delegated sessions, oldest first. */
  readonly children: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<Ended>
  readonly #sockets: WebSocket[] = []
  readonly #running = new Map<string, boolean>()
  /** How often each session went from running to idle. */
  readonly #rests = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #url = ''

  private constructor(child: ChildProcess, ended: Promise<Ended>) {
    this.#child = child
    this.#ended = ended
  }

  /** Boots the host and connects. It ends with the scope. */
  static async boot(scope: Scope, home: Home, options: { cwd: string, env?: Record<string, string> }): Promise<Web> {
    const child = home.spawn(['--profile', 'web', '--no-open', '--port', '0'], options)
    const { promise: url, resolve } = Promise.withResolvers<string>()
    const ended = watch(child, text => {
      const found = /http:\/\/[^\s/]+/.exec(text)
      if (found) resolve(found[0])
    })
    const web = new Web(child, ended)
    atEnd(scope, () => web.stop())
    const early = ended.then(({ code, stderr }): never => { throw new Error(`web host ended with ${code}: ${stderr.slice(0, 2_000)}`) })
    early.catch(() => {})
    web.#url = await within(Promise.race([url, early]), LIMIT_MS, 'web host')
    await web.#connect('/api/events.mux', frame => { web.#onSession(frame) })
    await web.#connect('/api/events.host', frame => { web.#onHost(frame) })
    return web
  }

  /** Where the page is. */
  get url(): string { return this.#url }

  /** Calls a method of the host's interface and returns its value. */
  async call(method: string, payload: unknown): Promise<Record<string, unknown>> {
    const reply = await this.#post(`/api/${method}`, { type: 'client-request', rpcId: crypto.randomUUID(), method, payload }) as
      { result?: { ok: boolean, value?: Record<string, unknown>, error?: unknown } }
    if (reply.result?.ok !== true) throw new Error(`${method}: ${JSON.stringify(reply).slice(0, 1_000)}`)
    return reply.result.value ?? {}
  }

  /** Opens a session, `standard` unless a preset is named, and returns its id. */
  async open(cwd: string, agentPreset?: string): Promise<string> {
    const { sessionId } = await this.call('session.create', { cwd, ...(agentPreset === undefined ? {} : { agentPreset }) })
    return String(sessionId)
  }

  /** Sends a message without waiting for the answer. */
  async send(sessionId: string, text: string, mode: 'queue' | 'steer' = 'queue'): Promise<void> {
    await this.call('session.prompt', { sessionId, mode, content: [{ type: 'text', text }] })
  }

  /** Sends a message and waits until the turn it starts is over. Returns the events of that turn. */
  async prompt(sessionId: string, text: string, limitMs = LIMIT_MS): Promise<LogEvent[]> {
    const from = this.events.get(sessionId)?.length ?? 0
    const rests = this.#rests.get(sessionId) ?? 0
    await this.send(sessionId, text)
    await this.#until(() => (this.#rests.get(sessionId) ?? 0) > rests && this.#running.get(sessionId) === false, limitMs, `end of the turn "${text.slice(0, 40)}"`)
    // The events travel over another socket than the status; a turn cancelled early has no end event at all.
    await this.#until(() => this.#since(sessionId, from).some(event => event.type === 'turn/end'), 500, 'turn/end').catch(() => {})
    return this.#since(sessionId, from)
  }

  /** Waits until a session does nothing. */
  async idle(sessionId: string, limitMs = LIMIT_MS): Promise<void> {
    await this.#until(() => this.#running.get(sessionId) === false, limitMs, `idle session ${sessionId}`)
  }

  /** Waits for a question card and takes it from the list. */
  async card(limitMs = LIMIT_MS): Promise<Card> {
    await this.#until(() => this.cards.length > 0, limitMs, 'question card')
    return this.cards.shift() as Card
  }

  /** Answers a card with one option, with a text of one's own, with neither (skips it), or closes it when `answer` is undefined. */
  async answer(card: Card, answer: string | { custom?: string } | undefined): Promise<void> {
    const given = typeof answer === 'string' ? { selected: [answer] } : { selected: [], ...answer }
    const result = answer === undefined
      ? { ok: false, error: { code: 'cancelled', message: 'declined', details: {} } }
      : { ok: true, value: { sessionId: card.sessionId, answer: { answers: card.questions.map(({ id }) => ({ id, ...given })) } } }
    await this.#post('/api/respond', { type: 'client-response', rpcId: card.rpcId, result })
  }

  /** Runs a slash command, such as `/memory list`. */
  async command(sessionId: string, line: string): Promise<Record<string, unknown>> {
    return await this.call('commands/execute', { args: { agentId: sessionId, line, images: [] } })
  }

  /** Cancels what a session is doing. */
  async cancel(sessionId: string): Promise<void> {
    await this.call('session.cancel', { sessionId })
  }

  /** Ends the host in the orderly way and returns how it ended. */
  async stop(): Promise<Ended> {
    for (const socket of this.#sockets.splice(0)) socket.close()
    this.#child.kill('SIGTERM')
    try { return await within(this.#ended, 10_000, 'end of the web host') } finally { this.#child.kill('SIGKILL') }
  }

  /** Ends the host at once, as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await within(this.#ended, 10_000, 'end of the web host')
  }

  #since(sessionId: string, from: number): LogEvent[] {
    return (this.events.get(sessionId) ?? []).slice(from)
  }

  #onSession({ rpcId, payload }: Frame): void {
    if (payload.type === 'session/event' && payload.event && payload.event.type !== 'assistant/chunk') {
      const id = payload.sessionId ?? ''
      this.events.set(id, [...this.events.get(id) ?? [], payload.event])
    }
    if (payload.type === 'question/requested') this.cards.push({ rpcId, sessionId: payload.sessionId ?? '', questions: payload.questions ?? [] })
    this.#wake()
  }

  #onHost({ payload }: Frame): void {
    if (payload.type === 'host/session-added' && payload.origin === 'subagent') this.children.push(payload.sessionId ?? '')
    if (payload.type === 'host/session-status') {
      const id = payload.sessionId ?? ''
      if (this.#running.get(id) === true && payload.running !== true) this.#rests.set(id, (this.#rests.get(id) ?? 0) + 1)
      this.#running.set(id, payload.running === true)
    }
    this.#wake()
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check()
  }

  async #until(ready: () => boolean, limitMs: number, what: string): Promise<void> {
    if (ready()) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const check = (): void => { if (ready()) resolve(undefined) }
    this.#waiting.add(check)
    try { await within(promise, limitMs, what) } finally { this.#waiting.delete(check) }
  }

  async #connect(path: string, on: (frame: Frame) => void): Promise<void> {
    const socket = new WebSocket(this.#url.replace('http', 'ws') + path)
    this.#sockets.push(socket)
    socket.addEventListener('message', event => { on(JSON.parse(String(event.data)) as Frame) })
    await within(new Promise((done, fail) => {
      socket.addEventListener('open', done)
      socket.addEventListener('error', () => { fail(new Error(`cannot open ${path}`)) })
    }), LIMIT_MS, path)
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const reply = await fetch(this.#url + path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal: AbortSignal.timeout(LIMIT_MS),
    })
    const text = await reply.text()
    try { return JSON.parse(text) } catch { return { status: reply.status, text } }
  }
}
