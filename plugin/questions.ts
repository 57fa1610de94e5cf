/** Questions to the human, through the host's own cards. What is asked, and what an answer means, is the core's. */
import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type { UserQuestionService } from '@deepseek-ai/dsh-user-questions'
import type { Question } from '../dist/core.js'
import { codeOf, messageOf } from './calls.ts'
import type { CoreHandle } from './core-handle.ts'

/** A refusal comes at once; what waits this long is before the human, or will be when a browser connects. */
const SHOWN_AFTER_MS = 50
/** Cards one after the other at the end of one turn. */
const CARDS_MAX = 8

export class Questions {
  readonly #ctx: Context
  readonly #core: CoreHandle
  /** Ends every card when the plugin is unloaded. */
  readonly #unloaded = new AbortController()

  constructor(ctx: Context, core: CoreHandle) {
    this.#ctx = ctx
    this.#core = core
  }

  /** Asks what a turn left open, one card after the other. The turn does not wait for it. */
  async afterTurn(agent: Agent): Promise<void> {
    for (let card = 0; card < CARDS_MAX; card++) if (!await this.#ask(agent, 'turn-end', this.#unloaded.signal)) return
  }

  /** Asks again before the model starts. Ends with `signal`. */
  async beforeStep(agent: Agent, signal: AbortSignal): Promise<void> {
    await this.#ask(agent, 'pre-step', AbortSignal.any([signal, this.#unloaded.signal]))
  }

  /** Asks whatever waits, because the human wants to see it: one card after the other until one stays open. */
  async review(agent: Agent): Promise<void> {
    for (let card = 0; card < CARDS_MAX; card++) if (!await this.#ask(agent, 'review', this.#unloaded.signal)) return
  }

  close(): void {
    this.#unloaded.abort()
  }

  /** Asks the next question, if one is due. Returns whether it was answered. */
  async #ask(agent: Agent, when: 'turn-end' | 'pre-step' | 'review', signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.#core.use('has-questions', core => core.hasQuestions(String(agent.id))) !== true) return false
    const question = await this.#core.run('question', core => when === 'review' ? core.review(String(agent.id)) : core.question(String(agent.id), when === 'pre-step')) as Question | null | undefined
    if (!question) return false
    const { selected, custom, ended } = await this.#show(agent, question, signal)
    const outcome = await this.#core.run('answer', core => core.answer(question.token, selected, custom, ended))
    return typeof outcome === 'string' && !outcome.startsWith('unanswered:')
  }

  async #show(agent: Agent, { token, card, timeoutMs }: Question, signal: AbortSignal): Promise<{ selected: string, custom: string, ended: string }> {
    const late = AbortSignal.timeout(timeoutMs)
    const { header, question, detail, options } = card
    let refused = ''
    try {
      const service: UserQuestionService | undefined = this.#ctx.get('userQuestions')
      if (!service) return { selected: '', custom: '', ended: 'NO_PROVIDER' }
      const asked = service.ask({ agent, signal: AbortSignal.any([signal, late]), questions: [{ id: 'memory', header, question, detail, options }] })
      const failed = asked.then(() => undefined, (error: unknown) => { refused = codeOf(error) || messageOf(error) })
      await Promise.race([failed, new Promise(done => setTimeout(done, SHOWN_AFTER_MS))])
      if (refused === '') await this.#core.run('question-shown', core => core.questionShown(token))
      const [answer] = (await asked).answers
      return { selected: answer?.selected[0] ?? '', custom: answer?.custom ?? '', ended: '' }
    } catch (error) {
      return { selected: '', custom: '', ended: late.aborted ? 'timeout' : codeOf(error) || messageOf(error) || 'error' }
    }
  }
}
