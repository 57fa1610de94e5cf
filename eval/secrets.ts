// Secrets for the labelled set, made at run time: a file of the repository never holds one, not even an invented one.

/** Returns the text with each `{{secret}}` replaced by something that looks like a key; the kinds take turns. */
export function withSecrets(text: string): string {
  let n = 0
  return text.replaceAll('{{secret}}', () => {
    const make = KINDS[n % KINDS.length]
    n += 1
    return make === undefined ? '' : make()
  })
}

const letters = 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz'

function run(length: number, alphabet = letters): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + 3) % alphabet.length]).join('')
}

const hexadecimal = '0123456789abcdef'

const KINDS: (() => string)[] = [
  () => ['s', 'k', '-'].join('') + run(48),
  () => `${run(32, hexadecimal)}.${run(16)}`,
  () => ['gh', 'p_'].join('') + run(36),
  () => ['AK', 'IA'].join('') + run(16, 'ABCDEFGHJKLMNPQRSTUVWXYZ234567'),
]
