// Loaded before the program: at its end, it writes the longest time that no signal and no timer could run, in
// milliseconds of the processor, which other processes hardly change, to the file that KPI_TEST_TURN names.
import { writeFileSync } from 'node:fs'

const LOOK_MS = 5
const path = process.env['KPI_TEST_TURN'] ?? ''
delete process.env['KPI_TEST_TURN']

const busy = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let [last, longest] = [busy(), 0]
const look = (): void => {
  const now = busy()
  longest = Math.max(longest, now - last)
  last = now
}
setInterval(look, LOOK_MS).unref()
process.on('exit', () => {
  look()
  writeFileSync(path, String(longest))
})
