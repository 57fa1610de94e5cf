/** What a job asks of the world beyond files and time: services, with their keys, and the host's own model. */
import type { Context } from '@deepseek-ai/cordis'
import type {} from '@deepseek-ai/dsh-agent-default-model'
import type {} from '@deepseek-ai/dsh-credentials'
import type {} from '@deepseek-ai/dsh-llm'
import type { HttpSend, LlmGenerate, Step } from '../dist/core.js'
import { Credentials, type Service as Keys } from './credentials.ts'
import { coded, send, type Reply } from './http.ts'
import { generate, type Route, type Said, type Service as Model } from './llm.ts'

export type Question = Extract<Step, { op: 'http.send' | 'http.key' | 'llm.generate' | 'llm.route' }>

/** A live session, as far as its route is concerned. */
export interface Routed { requestHeader?(): { config?: Partial<Route> } | undefined }

/** Whatever answers such questions. */
export interface Answering { answer(question: Question, signal: AbortSignal | undefined): Promise<unknown> }

export class World implements Answering {
  readonly #ctx: Context
  readonly #credentials: Credentials
  readonly #session: (id: string) => Routed | undefined

  constructor(ctx: Context, home: string, keys: ReadonlyMap<string, string>, session: (id: string) => Routed | undefined) {
    this.#ctx = ctx
    this.#session = session
    this.#credentials = new Credentials(() => this.#service<Keys>('credentials'), home, keys)
  }

  /** Answers a question; rejects with an error whose `code` the core knows. */
  async answer(question: Question, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) throw coded('ENDED')
    switch (question.op) {
      case 'http.key': return (await this.#credentials.find(question.credential, question.timeoutMs))?.path ?? 'none'
      case 'http.send': return await this.#send(question, signal)
      case 'llm.route': return nameOf(this.#defaultRoute())
      case 'llm.generate': return await this.#generate(question, signal)
    }
  }

  async #send(request: HttpSend, signal: AbortSignal | undefined): Promise<Reply> {
    if (request.credential === '') return await send(request, undefined, signal)
    const start = performance.now()
    // The whole request has one limit, and a quarter of it is time enough to look for a key.
    const found = await this.#credentials.find(request.credential, request.timeoutMs / 4)
    if (!found) throw coded('NO_KEY')
    return await send({ ...request, timeoutMs: Math.max(1, Math.floor(request.timeoutMs - (performance.now() - start))) }, found.value, signal)
  }

  async #generate(request: LlmGenerate, signal: AbortSignal | undefined): Promise<Said> {
    const given = request.provider !== '' && request.model !== '' ? { provider: request.provider, model: request.model } : undefined
    const route = given ?? routeOf(this.#session(request.sessionId)?.requestHeader?.()?.config) ?? this.#defaultRoute()
    return await generate(this.#service<Model>('llm'), route, request, signal)
  }

  #defaultRoute(): Route | undefined {
    try { return routeOf(this.#service<{ currentSelection(): Partial<Route> }>('agentDefaultModel')?.currentSelection()) } catch { return undefined }
  }

  /** A service that is not there is no error here: each has a way without it. */
  #service<T>(name: 'credentials' | 'llm' | 'agentDefaultModel'): T | undefined {
    try { return this.#ctx.get(name) as T | undefined } catch { return undefined }
  }
}

const routeOf = (config: Partial<Route> | undefined): Route | undefined =>
  config?.provider && config.model ? { provider: config.provider, model: config.model } : undefined

const nameOf = (route: Route | undefined): string => route ? `${route.provider}/${route.model}` : ''
