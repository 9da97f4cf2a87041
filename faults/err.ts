// Planted faults of the area ERR: what a model is told of a call that did not run. The result stays an error result that names its tool.
import type { Parts, Plan } from '../reference/index.ts'
import type { Fault } from './fault.ts'

const changeWhy = (parts: Parts, change: (plan: Extract<Plan, { do: 'refuse' }>) => string): Partial<Parts> => ({
  makePlans: async (...given) => {
    const plans = await parts.makePlans(...given)
    return plans.map((plan) => (plan.do === 'refuse' && !plan.cut ? { ...plan, why: change(plan) } : plan))
  },
})
const isUnreadable = (plan: { why: string }): boolean => plan.why.includes('could not be read')

export const errFaults: readonly Fault[] = [
  {
    id: 'err-1-short',
    rule: 'ERR-1',
    what: 'A call that was not run is answered with the word Error and nothing more',
    plant: (parts) => changeWhy(parts, (plan) => (isUnreadable(plan) ? `Error: ${plan.call.name}` : plan.why)),
  },
  {
    id: 'err-1-stack',
    rule: 'ERR-1',
    what: 'The model is shown a stack trace of the host',
    plant: (parts) =>
      changeWhy(parts, (plan) => `${plan.why}\n    at parseArguments (/app/node_modules/agent/dist/tools.js:41:13)`),
  },
  {
    id: 'err-1-no-next',
    rule: 'ERR-1',
    what: 'The model is told what was wrong and not what to do about it',
    plant: (parts) =>
      changeWhy(parts, (plan) => (isUnreadable(plan) ? `${plan.call.name}: SyntaxError, unexpected token.` : plan.why)),
  },
]
