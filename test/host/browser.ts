/** Chromium without a window, driven over its own protocol: opens the web host's page, reads it, clicks, takes pictures. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { atEnd, eventually, scratch, within, type Scope } from './home.ts'

const LIMIT_MS = 30_000

interface Reply { id?: number, method?: string, params?: unknown, result?: { result?: { value?: unknown }, data?: string } }

export class Browser {
  /** Exceptions that the page did not catch. */
  readonly errors: string[] = []
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #sent = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', event => {
      const reply = JSON.parse(String(event.data)) as Reply
      if (reply.id !== undefined) { this.#waiting.get(reply.id)?.(reply); this.#waiting.delete(reply.id) }
      else if (reply.method === 'Runtime.exceptionThrown') this.errors.push(JSON.stringify(reply.params).slice(0, 500))
    })
  }

  /** Starts the browser that `CHROMIUM` names. It ends with the scope. */
  static async start(scope: Scope): Promise<Browser> {
    const program = process.env.CHROMIUM ?? 'chromium'
    const child = spawn(program, [
      '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--force-color-profile=srgb',
      '--remote-debugging-port=0', `--user-data-dir=${scratch(scope)}`, 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'pipe'] })
    const gone = new Promise(done => { child.once('close', done) })
    atEnd(scope, async () => { child.kill('SIGKILL'); await gone })
    let text = ''
    child.once('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (part: string) => { text += part })
    const port = await eventually(() => /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1], LIMIT_MS, `browser (${program}); npm run setup -- browser`)
    const targets = await (await fetch(`http://127.0.0.1:${port}/json`)).json() as { type: string, webSocketDebuggerUrl: string }[]
    const socket = new WebSocket(targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '')
    await within(new Promise(done => { socket.addEventListener('open', done) }), LIMIT_MS, 'page')
    atEnd(scope, () => { socket.close() })
    const browser = new Browser(socket)
    await browser.#call('Page.enable')
    await browser.#call('Runtime.enable')
    await browser.#call('Emulation.setDeviceMetricsOverride', { width: 1100, height: 820, deviceScaleFactor: 1, mobile: false })
    return browser
  }

  async open(url: string): Promise<void> {
    await this.#call('Page.navigate', { url })
  }

  /** The value of an expression in the page. */
  async read(expression: string): Promise<unknown> {
    return (await this.#call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result?.result?.value
  }

  /** All text the page shows. */
  async text(): Promise<string> {
    return String(await this.read('document.body?.innerText ?? ""'))
  }

  /** Waits until the page shows a text. */
  async shows(text: string, limitMs = LIMIT_MS): Promise<void> {
    await this.until(`(document.body?.innerText ?? '').includes(${JSON.stringify(text)})`, text, limitMs)
  }

  async until(expression: string, what: string, limitMs = LIMIT_MS): Promise<void> {
    const deadline = Date.now() + limitMs
    while (await this.read(expression) !== true) {
      if (Date.now() > deadline) throw new Error(`the page never showed: ${what}; it shows: ${(await this.text()).slice(0, 1_500)}`)
      await new Promise(done => setTimeout(done, 50))
    }
  }

  /** Clicks the innermost of the page's `selector` that shows `text`. Returns whether there was one. */
  async click(selector: string, text: string): Promise<boolean> {
    return await this.read(`(() => {
      const found = [...document.querySelectorAll(${JSON.stringify(selector)})].filter(one => (one.innerText ?? '').includes(${JSON.stringify(text)}) || one.getAttribute('aria-label') === ${JSON.stringify(text)}).pop()
      found?.click()
      return found !== undefined
    })()`) === true
  }

  /** Writes a picture of the page. */
  async picture(path: string): Promise<void> {
    const { result } = await this.#call('Page.captureScreenshot', { format: 'png' })
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Buffer.from(result?.data ?? '', 'base64'))
  }

  async #call(method: string, params: unknown = {}): Promise<Reply> {
    const id = ++this.#sent
    const { promise, resolve } = Promise.withResolvers<Reply>()
    this.#waiting.set(id, resolve)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return await within(promise, LIMIT_MS, method)
  }
}
