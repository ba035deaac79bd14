// One story, in each environment that front ends test in.
const environments = ['node', 'jsdom', 'jest-fixed-jsdom', '@happy-dom/jest-environment']
module.exports = {
  projects: environments.map((testEnvironment) => ({ displayName: testEnvironment, testEnvironment }))
}
