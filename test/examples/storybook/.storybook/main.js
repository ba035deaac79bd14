export default {
  stories: ['../*.stories.js'],
  framework: '@storybook/html-vite',
  // The script of MSW's worker.
  staticDirs: [{ from: '../../node_modules/msw/lib', to: '/' }],
  core: { disableTelemetry: true }
}
