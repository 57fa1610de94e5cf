/** The shim on a stub of the host: its hooks are called by hand, and its core is `core.ts` beside this file. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { atEnd, REPOSITORY, scratch, type Row, type Scope } from '../host/home.ts'

type Listener = (...args: unknown[]) => unknown
interface Tool { name: string, execute(args: unknown, exec: unknown): Promise<Record<string, unknown>> }
interface Command { name: string, handler(invocation: unknown): Promise<{ kind: string, text?: string }> }
interface Plugin { apply(ctx: unknown, config: unknown): void, Config: { '~standard': { validate(value: unknown): unknown } }, inject: string[], name: string }

/** A session whose log the test writes. */
export class StubSession {
  readonly events: { type: string, seq: number, time: number, data: unknown }[] = []
  readonly id: string
  readonly header: { cwd: string, origin?: string, delegationDepth?: number }
  firstLiveSeq = 0

  constructor(id: string, header: Partial<StubSession['header']> = {}) {
    this.id = id
    this.header = { cwd: '/workspace', ...header }
  }

  get seq(): number { return this.events.length }

  log(type: string, data: unknown): void {
    this.events.push({ type, seq: this.events.length, time: 1_000 + this.events.length, data })
  }

  say(text: string, source: object = { kind: 'user' }): void {
    this.log('user/message', { id: 'u', role: 'user', content: [{ type: 'text', text }], source })
  }

  result(callId: string, text: string, isError = false, more: object = {}): void {
    this.log('tool/result', { turn: 1, step: 1, message: { source: { kind: 'tool', callId }, content: [{ type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text }], isError }] }, ...more })
  }
}

export class Stub {
  dataDir: string
  /** The host's services, as `ctx.get` finds them. */
  readonly services: Record<string, unknown> = {}
  readonly folder: string
  readonly tools: Tool[] = []
  readonly commands: Command[] = []
  readonly live: StubSession[] = []
  readonly #listeners = new Map<string, Listener[]>()
  readonly #disposers: (() => unknown)[] = []
  #context: ((a: unknown) => unknown) | undefined
  #turn = 0

  constructor(scope: Scope, options: { core?: boolean | 'built' } = {}) {
    this.folder = scratch(scope)
    atEnd(scope, () => this.dispose())
    this.dataDir = join(this.folder, 'data')
    for (const folder of ['plugin', 'dist']) mkdirSync(join(this.folder, folder))
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "module" }')
    for (const name of readdirSync(join(REPOSITORY, 'plugin'))) copyFileSync(join(REPOSITORY, 'plugin', name), join(this.folder, 'plugin', name))
    if (options.core === false) return
    if (options.core === 'built') {
      for (const name of readdirSync(join(REPOSITORY, 'dist')).filter(name => /^core.*(js|wasm|gz)$/.test(name))) copyFileSync(join(REPOSITORY, 'dist', name), join(this.folder, 'dist', name))
      return
    }
    writeFileSync(join(this.folder, 'dist/core.js'), stripTypeScriptTypes(readFileSync(new URL('core.ts', import.meta.url), 'utf8')))
    writeFileSync(join(this.folder, 'dist/core_bg.wasm'), '')
  }

  /** Loads the plugin and mounts it. */
  async mount(config: unknown = { dataDir: this.dataDir }): Promise<Plugin> {
    const plugin = await import(pathToFileURL(join(this.folder, 'plugin/index.ts')).href) as Plugin
    plugin.apply({
      get: (name: string) => this.services[name],
      sessions: { list: () => this.live },
      systemPrompt: { context: (part: { text: (a: unknown) => unknown }) => { this.#context = part.text } },
      tools: { register: (tool: Tool) => { this.tools.push(tool) } },
      on: (event: string, listener: Listener) => { this.#listeners.set(event, [...this.#listeners.get(event) ?? [], listener]) },
      inject: (_names: string[], then: (child: unknown) => void) => { then({ commands: { register: (command: Command) => { this.commands.push(command) } } }) },
      effect: (begin: () => () => unknown) => { this.#disposers.push(begin()) },
    }, config)
    return plugin
  }

  emit(event: string, ...args: unknown[]): unknown {
    let last: unknown
    for (const listener of this.#listeners.get(event) ?? []) last = listener(...args)
    return last
  }

  /** What the plugin adds to the next request. */
  block(session: StubSession): unknown {
    return this.#context?.({ agent: { id: session.id, session } })
  }

  /** Begins a turn with a human's message. */
  begin(session: StubSession, text: string, source: object = { kind: 'user' }): void {
    session.log('turn/start', { turn: ++this.#turn })
    this.emit('agent/inbox/claimed', { agent: { session }, turn: this.#turn, message: { source, content: [{ type: 'text', text }] } })
    session.say(text, source)
  }

  /** Lets a turn stop by the hook. */
  async stop(session: StubSession, signal: AbortSignal = new AbortController().signal): Promise<unknown> {
    const returned = await this.emit('agent/turn-stopping', { agent: { session }, turn: this.#turn, signal })
    session.log('turn/end', { turn: this.#turn, reason: { kind: 'completed' } })
    return returned
  }

  async turn(session: StubSession, text: string): Promise<void> {
    this.begin(session, text)
    await this.stop(session)
  }

  async call(name: string, session: StubSession, args: unknown): Promise<Record<string, unknown>> {
    const tool = this.tools.find(candidate => candidate.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    return await tool.execute(args, { agent: { session }, signal: new AbortController().signal })
  }

  /** Types a line after `/memory`. */
  async command(session: StubSession, rawInput: string): Promise<{ kind: string, text?: string }> {
    const [command] = this.commands
    if (!command) throw new Error('no command')
    return await command.handler({ agent: { id: session.id, session }, rawInput, signal: new AbortController().signal, attachments: [], commandId: 'c' })
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#disposers.splice(0).map(undo => undo()))
  }

  rows(kind?: string): Row[] {
    const path = join(this.dataDir, 'ledger.jsonl')
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    return lines.map(line => JSON.parse(line) as Row).filter(row => kind === undefined || row.kind === kind)
  }

  written(): unknown[] {
    return this.rows('write').map(row => row.text)
  }
}
